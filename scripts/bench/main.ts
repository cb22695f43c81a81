/**
 * Measures everything: `npm run bench -- [--only SECTION,…] [--quick] [--json FILE] [--docs]`.
 *
 * `--quick` measures each row once and briefly, to see that it has a figure. `--docs` writes BENCHMARKS.md and the
 * README's line. A section is measured in a separate process, with what is built.
 *
 * @module
 */
import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromiumPath } from '@pi-checkout/test-support/browsers'
import { postgresBinaries } from '@pi-checkout/test-support/postgres'
import { pageOf, quoteOf, type Report, withQuote } from './report.ts'
import { sections } from './rows.ts'
import type { Measured, Row } from './samples.ts'

const { values } = parseArgs({
  options: {
    docs: { type: 'boolean', default: false },
    json: { type: 'string' },
    only: { type: 'string', default: Object.keys(sections).join(',') },
    quick: { type: 'boolean', default: false },
  },
})
const here = import.meta.dirname
const readme = join(here, '../../README.md')
const page = join(here, 'BENCHMARKS.md')
const chromium = await chromiumPath()
const startedAt = performance.now()
const measured: Record<string, Measured> = {}
for (const name of values.only.split(',')) measured[name] = await measure(name)

const report: Report = {
  date: new Date().toISOString(),
  minutes: Math.round((performance.now() - startedAt) / 6000) / 10,
  machine: machine(),
  versions: versions(),
  sections: measured,
}
const rows = Object.values(measured).flatMap((section) => section.rows)
if (values.json) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`)
if (values.docs) {
  writeFileSync(page, pageOf(report))
  writeFileSync(readme, withQuote(readFileSync(readme, 'utf8'), quoteOf(rows)))
}
summarize(rows)

async function measure(name: string): Promise<Measured> {
  console.log(`\n— ${name}`)
  const child = fork(join(here, 'section.ts'), [name, ...(values.quick ? ['--quick'] : [])], {
    execArgv: ['--import', 'tsx'],
  })
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`${name} exited with ${code} without figures.`)
  })
  const [result] = (await Promise.race([once(child, 'message'), failed])) as [Measured]
  failed.catch(() => {})
  console.table(result.rows, ['what', 'against', 'ratio', 'low', 'high', 'target', 'met'])
  console.table(result.figures)
  return result
}

function summarize(rows: readonly Row[]): void {
  const withTarget = rows.filter(({ target }) => target !== '')
  const missed = withTarget.filter(({ met }) => !met)
  for (const { what, against, ratio, target } of missed) {
    console.log(`missed: ${what} / ${against}: ${ratio}, target ${target}`)
  }
  const count = withTarget.length - missed.length
  console.log(`\n${count} of ${withTarget.length} targets met in ${report.minutes} minutes`)
}

function machine(): string {
  const [cpu] = cpus()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB of memory`
  const file = '/etc/os-release'
  const [, system] =
    /^PRETTY_NAME="(.+)"$/m.exec(existsSync(file) ? readFileSync(file, 'utf8') : '') ?? []
  const kernel = `${type()} ${release()}`
  return [cpu?.model.trim(), `${cpus().length} cores`, memory, system, kernel]
    .filter(Boolean)
    .join(', ')
}

function versions(): Record<string, string> {
  const peers = ['express', 'stripe', '@adyen/adyen-web']
  const versionIn = (name: string): string =>
    JSON.parse(readFileSync(join(here, '../node_modules', name, 'package.json'), 'utf8')).version
  return {
    'Node.js': process.versions.node,
    PostgreSQL: versionOf(join(postgresBinaries ?? '', 'postgres')),
    Chromium: versionOf(chromium ?? ''),
    ...Object.fromEntries(peers.map((name) => [name, versionIn(name)])),
  }
}

function versionOf(program: string): string {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  return /\d[\d.]*/.exec(stdout ?? '')?.[0] ?? 'none'
}
