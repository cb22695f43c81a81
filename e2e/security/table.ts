/**
 * The threat table of the security guide: row, threat, the tests that show its defence, result.
 *
 * A test of this folder names its rows in its title; of other suites `threats.ts` knows the titles.
 * `held` means that such tests exist: the suite fails when one of them does.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from '../fixtures/program.ts'
import { type Threat, threats } from './threats.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))

export interface Proof {
  readonly file: string
  readonly title: string
  readonly rows: readonly number[]
  /** The attack gets through: the test is expected to fail. */
  readonly open: boolean
}

export function makeTable(): string {
  const lines = threats.map((threat) => {
    const proofs = proofsOf(threat)
    const tests = proofs.map(({ file, title }) => `${title} (\`${file}\`)`)
    const notes = threat.notShown ? [`*Not shown:* ${threat.notShown}`] : []
    const { row, notDefended } = threat
    const shownBy = notDefended ?? [...tests, ...notes].join('<br>')
    const cells = [row, threat.threat, shownBy, notDefended ? accepted : result(proofs)]
    return `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
  })
  return ['| # | threat | shown by | result |', '|---|---|---|---|', ...lines].join('\n')
}

/** Rows whose tests are named but not there. */
export function missingProofs(): readonly string[] {
  return threats.flatMap(({ row, shownBy = [] }) =>
    shownBy
      .filter(([file, title]) => !readSource(file).includes(title))
      .map(([file, title]) => `row ${row}: ${file} has no test "${title}"`),
  )
}

/** The tests of this folder, as their sources name them. */
export function ownProofs(): readonly Proof[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .sort()
    .flatMap((name) => titlesOf(`e2e/security/${name}`))
}

function proofsOf({ row, shownBy = [] }: Threat): readonly Proof[] {
  const own = ownProofs().filter(({ rows }) => rows.includes(row))
  const others = shownBy.map(([file, title]) => ({
    file,
    title: shown(title),
    rows: [row],
    open: false,
  }))
  return [...own, ...others]
}

function titlesOf(file: string): readonly Proof[] {
  const titles = /\btest(\.fail)?\(\s*(['"`])rows? ([\d, and]+): ((?:(?!\2)[^\\]|\\.)*)\2/g
  return [...readSource(file).matchAll(titles)].map(([, fails, , rows = '', title = '']) => ({
    file: basename(file),
    title: shown(title),
    rows: (rows.match(/\d+/g) ?? []).map(Number),
    open: fails !== undefined,
  }))
}

function shown(title: string): string {
  return title
    .replaceAll(/\$\{\w+\}/g, '…')
    .replaceAll('<', '&lt;')
    .trim()
}

const accepted = 'not defended, by decision'

function result(proofs: readonly Proof[]): string {
  if (proofs.some(({ open }) => open)) return '**open**'
  return proofs.length > 0 ? 'held' : 'not tried'
}

function readSource(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
