// Runs the benchmark of every room that has one, and gathers their rows: `--json FILE` writes them,
// `--docs` writes packages/BENCHMARKS.md and the README's line.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, release, tmpdir, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromiumPath } from '../packages/test-support/src/browsers.mjs'
import { badgeOf, pageOf, rowsOf, withBadge } from './bench/page.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({
  options: { json: { type: 'string' }, docs: { type: 'boolean', default: false } },
})
const readme = join(root, 'README.md')
// Said now, and not after ten minutes.
if (values.docs) withBadge(readFileSync(readme, 'utf8'), '')
const began = performance.now()
const home = mkdtempSync(join(tmpdir(), 'pi-bench-'))
const browser = await chromiumPath()

const built = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
if (built.status !== 0) process.exit(1)

const names = ['packages/server', 'packages/element', 'packages/service', 'demo']
const rooms = Object.fromEntries(
  names.map((room) => [room, measure(room)]).filter(([, figures]) => figures),
)
const complete = Object.keys(rooms).length === names.length
const report = {
  date: new Date().toISOString(),
  minutes: Math.round((performance.now() - began) / 6000) / 10,
  machine: machine(),
  versions: versions(),
  rooms,
}
rmSync(home, { recursive: true, force: true })
if (values.json) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`)
if (values.docs && complete) writeDocs()
summarise()
process.exit(complete ? 0 : 1)

function measure(room) {
  console.log(`\n— ${room}`)
  const file = join(home, `${room.replaceAll('/', '-')}.json`)
  const { status } = spawnSync('npm', ['run', '--silent', 'bench', '--', '--json', file], {
    cwd: join(root, room),
    env: { ...process.env, ...(browser ? { CHROMIUM_PATH: browser } : {}) },
    stdio: 'inherit',
  })
  if (!existsSync(file)) {
    console.error(`${room}: the benchmark ended with ${status} and left no figures.`)
    return undefined
  }
  return JSON.parse(readFileSync(file, 'utf8'))
}

function machine() {
  const [{ model }, ...others] = cpus()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB of memory`
  return `${model.trim()}, ${others.length + 1} cores, ${memory}, ${system()}`
}

function system() {
  const file = '/etc/os-release'
  const known = existsSync(file) ? /^PRETTY_NAME="(.+)"$/m.exec(readFileSync(file, 'utf8')) : null
  return known ? `${known[1]}, ${type()} ${release()}` : `${type()} ${release()}`
}

function versions() {
  const peers = {
    'packages/server': ['express', 'stripe', '@mollie/api-client', 'openai'],
    'packages/element': ['@adyen/adyen-web', 'braintree-web-drop-in', 'zoid', 'penpal'],
    'packages/service': ['@electric-sql/pglite'],
  }
  const installed = Object.entries(peers).flatMap(([room, names]) =>
    names.map((name) => {
      const manifest = join(root, room, 'node_modules', name, 'package.json')
      return [name, JSON.parse(readFileSync(manifest, 'utf8')).version]
    }),
  )
  return {
    'Node.js': process.versions.node,
    PostgreSQL: firstNumber(postgres(), ['--version']),
    Chromium: firstNumber(browser, ['--version']),
    ...Object.fromEntries(installed),
  }
}

function postgres() {
  const home = '/usr/lib/postgresql'
  const version = existsSync(home) ? readdirSync(home).sort().at(-1) : undefined
  return version ? `${home}/${version}/bin/postgres` : 'postgres'
}

function firstNumber(program, args) {
  const { stdout } = spawnSync(program ?? '', args, { encoding: 'utf8' })
  return /\d[\d.]*/.exec(stdout ?? '')?.[0] ?? 'none'
}

function writeDocs() {
  const page = pageOf(report)
  writeFileSync(join(root, 'packages/BENCHMARKS.md'), page)
  writeFileSync(readme, withBadge(readFileSync(readme, 'utf8'), badgeOf(rowsOf(page))))
}

function summarise() {
  const rows = Object.values(report.rooms).flatMap((room) => room.rows)
  const aimed = rows.filter(({ target }) => target !== '')
  const missed = aimed.filter(({ met }) => !met)
  for (const { what, against, ratio, target } of missed) {
    console.log(`missed: ${what} / ${against}: ${ratio}, target ${target}`)
  }
  const reached = aimed.length - missed.length
  console.log(`\n${reached} of ${aimed.length} targets met in ${report.minutes} minutes`)
}
