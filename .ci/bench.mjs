// Runs the benchmark of every room that has one, and gathers their figures: `--json FILE` writes them.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({ options: { json: { type: 'string' } } })
const home = mkdtempSync(join(tmpdir(), 'pi-bench-'))

const built = spawnSync(process.execPath, ['.ci/build.mjs'], { cwd: root, stdio: 'inherit' })
if (built.status !== 0) process.exit(1)

const rooms = ['packages/server', 'packages/element', 'packages/service'].filter(hasBench)
const figures = Object.fromEntries(rooms.map((room) => [room, measure(room)]))
if (values.json) {
  const [{ model }] = cpus()
  const machine = { model, cores: availableParallelism(), node: process.version }
  const report = { date: new Date().toISOString(), machine, figures }
  writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`)
}
rmSync(home, { recursive: true, force: true })

function hasBench(room) {
  return 'bench' in JSON.parse(readFileSync(join(root, room, 'package.json'), 'utf8')).scripts
}

function measure(room) {
  console.log(`\n— ${room}`)
  const file = join(home, `${room.replaceAll('/', '-')}.json`)
  const { status } = spawnSync('npm', ['run', '--silent', 'bench', '--', '--json', file], {
    cwd: join(root, room),
    stdio: 'inherit',
  })
  if (!existsSync(file)) {
    console.error(`${room}: the benchmark ended with ${status} and left no figures.`)
    process.exit(1)
  }
  return JSON.parse(readFileSync(file, 'utf8'))
}
