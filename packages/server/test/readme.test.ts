import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exitCodes } from '../src/cli/exit-codes.ts'
import { handoffProblems } from '../src/handoff/problem.ts'
import * as server from '../src/index.ts'

const readme = read('README.md')

function read(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
}

/** The rows below a table's header, as the text of their cells. */
function rows(text: string, header: string): string[][] {
  const [, table = ''] = text.split(`${header}\n`)
  const [, ...body] = table.split('\n\n', 1).join('').split('\n')
  return body.map((row) => row.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')))
}

/** Names of the properties that an interface of a source file declares. */
function properties(path: string, name: string): string[] {
  const [, body = ''] =
    new RegExp(`interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)\\n\\}`).exec(read(path)) ?? []
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, property = '']) => property)
}

test('the README lists each error code with meaning and what to do', () => {
  const written = Object.entries(server.errorCodes)
  expect(rows(readme, '| code | meaning | what to do |')).toEqual(
    written.map(([code, { meaning, advice }]) => [`\`${code}\``, meaning, advice]),
  )
})

test('the README lists each exit code', () => {
  const expected = Object.values(exitCodes).map(({ code, meaning }) => `**${code}** ${meaning}`)
  expect(readme).toContain(`Exit codes: ${expected.join(' · ')}.`)
})

test('the README names every option and every export', () => {
  const options = {
    'src/client/payment-intents.ts': [
      'PaymentIntentsOptions',
      'CallOptions',
      'CreateOptions',
      'CreatedIntent',
    ],
    'src/client/options.ts': ['ClientOptions'],
    'src/handoff/options.ts': ['HandoffOptions', 'HandoffOrder', 'ResumeCookieOptions'],
    'src/handoff/reconcile.ts': ['ReconcileOptions'],
    'src/handoff/csp.ts': ['CspOptions'],
  }
  for (const [path, names] of Object.entries(options)) {
    const declared = names.flatMap((name) => properties(path, name))
    expect(declared.length).toBeGreaterThan(0)
    const unnamed = declared.filter((name) => !new RegExp(`\\b${name}\\b`).test(readme))
    expect([path, unnamed]).toEqual([path, []])
  }
  const exported = Object.keys(server).filter((name) => !new RegExp(`\\b${name}\\b`).test(readme))
  expect(exported).toEqual([])
})

test('the guide lists each code of the handoff with its status', () => {
  const guide = read('guides/troubleshooting.md')
  expect(rows(guide, '| code | status | because |').map((row) => row.slice(0, 2))).toEqual(
    Object.entries(handoffProblems).map(([code, { status }]) => [`\`${code}\``, String(status)]),
  )
})

test('the guides list each kind of report, reason, and fault', () => {
  const guide = read('guides/closed-tab-and-reconcile.md')
  const source = read('src/handoff/reconcile.ts')
  const valuesOf = (field: string): string[] => {
    const [, union = ''] = /export type ReconcileReport([\s\S]*?)\n\n/.exec(source) ?? []
    const lines = [...union.matchAll(new RegExp(`readonly ${field}: (.*)`, 'g'))]
    return lines.flatMap(([, line = '']) => line.match(/(?<=')\w+(?=')/g) ?? [])
  }
  for (const [field, header] of [
    ['kind', '| `kind` | means | do |'],
    ['reason', '| `reason` | means |'],
  ] as const) {
    expect(rows(guide, header).map(([cell]) => cell)).toEqual(
      valuesOf(field).map((value) => `\`${value}\``),
    )
  }
  const faults = read('src/testing/fake-service.ts').matchAll(/^ {2}(\w+)\([^)]*\): FakeService$/gm)
  for (const [, fault] of faults) expect(read('guides/testing.md')).toContain(`\`${fault}(`)
})
