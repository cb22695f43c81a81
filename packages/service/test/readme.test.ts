import { readFileSync } from 'node:fs'
import {
  CreatedPaymentIntentSchema,
  paymentIntentStatuses,
  problemCodes,
} from '@pi-checkout/contract'
import { testCards } from '@pi-checkout/contract/sandbox'
import { expect, test } from 'vitest'
import { routes } from '../shared/routes.ts'
import { SandboxEnvironment } from '../src/testing/sandbox-environment.ts'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const readme = read('../README.md')
const cli = read('../src/cli/main.ts')
const api = read('../guides/api.md')
const guide = read('../guides/team.md')

function found(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))].sort()
}

test('the README names every command and every option, and none that does not exist', () => {
  const commands = found(cli, /\.command\('([a-z]+)'\)/g)
  const [, table = ''] = /## Commands\n([\s\S]*?)\n## /.exec(readme) ?? []
  for (const command of commands) expect(table).toMatch(new RegExp(`\`[^\`]*\\b${command}\\b`))
  const options = found(cli, /'--([a-z-]+)[ ']/g)
  expect(options.length).toBeGreaterThan(8)
  expect(found(table, /--([a-z][a-z-]+)/g)).toEqual(options)
})

test('the README names every variable that the service reads, and none that it does not', () => {
  const known = found(read('../src/config.ts'), /^ +(PI_[A-Z_]+): /gm)
  const table = readme.split('\n').filter((line) => line.startsWith('| `PI_'))
  expect(found(table.join('\n'), /`(PI_[A-Z_]+)`/g)).toEqual(known)
})

test('the README names every method of a test environment', () => {
  const { prototype } = SandboxEnvironment
  const { constructor: _, ...methods } = Object.getOwnPropertyDescriptors(prototype)
  for (const name of Object.keys(methods)) expect(readme).toContain(`\`${name}(`)
})

test('the documented response of a create has every field, and no other', () => {
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(api) ?? []
  const described = JSON.parse(example)
  const fields = Object.keys(CreatedPaymentIntentSchema.parse(described))
  expect(Object.keys(described).sort()).toEqual(fields.sort())
})

test('the guide for a team names no variable that the service does not read', () => {
  const known = new Set(found(readme, /\b(PI_[A-Z_]+)\b/g))
  expect(found(guide, /\b(PI_[A-Z_]+)\b/g).filter((name) => !known.has(name))).toEqual([])
})

test('the guide says what to do about every error, with its status', () => {
  for (const [code, { status }] of Object.entries(problemCodes)) {
    expect(api).toMatch(new RegExp(`^\\| \`${code}\` \\| ${status} \\| .+ \\|$`, 'm'))
  }
})

test('the guide lists every status, every test card, and every route of the sandbox API', () => {
  for (const status of paymentIntentStatuses) expect(api).toContain(`| \`${status}\` |`)
  for (const number of Object.values(testCards))
    expect(api).toMatch(new RegExp(`${number.slice(-4)}\\b`))
  for (const { method, path } of Object.values(routes)) {
    if (path.startsWith('/_sandbox/') && path !== routes.inspector.path)
      expect(api).toContain(`| \`${method} ${path}\` |`)
  }
})
