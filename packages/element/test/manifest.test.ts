import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import * as client from '../src/client/index.ts'
import * as entry from '../src/index.ts'
import { type CheckoutErrorCode, PiCheckout } from '../src/index.ts'
import * as testing from '../src/testing/index.ts'

const root = fileURLToPath(new URL('..', import.meta.url)).slice(0, -1)
const readme = readFileSync(`${root}/README.md`, 'utf8')

const [manifest, vscode] = ['custom-elements.json', 'vscode.html-custom-data.json'].map((file) =>
  JSON.parse(readFileSync(`${root}/dist/${file}`, 'utf8')),
)
const [element] = manifest.modules[0].declarations

function names(list: readonly { readonly name: string }[]): string[] {
  return list.map(({ name }) => name).sort()
}

/** The code names in one column of the README table under this header. */
function column(header: string, index = 0): string[] {
  const [, table = ''] = readme.split(new RegExp(`^\\| ${header} .*\\n\\|.*\\n`, 'm'))
  const rows = table.split('\n')
  const body = rows.slice(
    0,
    rows.findIndex((row) => !row.startsWith('|')),
  )
  return body
    .flatMap((row) => [...(row.split('|')[index + 1] ?? '').matchAll(/`([^`]+)`/g)])
    .map(([, name]) => name?.replace('()', '') ?? '')
    .sort()
}

test('the VS Code data describe the tag with its attributes', () => {
  const [tag] = vscode.tags
  expect(tag.name).toBe('pi-checkout')
  expect(names(tag.attributes)).toEqual(names(element.attributes))
  for (const { name } of element.events) expect(tag.description.value).toContain(name)
})

test('the manifest lists the attributes and members of the class', () => {
  const attributes = PiCheckout.observedAttributes.filter(
    (name) => name.includes('-') || name[0] === 'l',
  )
  expect(attributes.sort()).toEqual(['client-secret', ...names(element.attributes)].sort())
  for (const { name } of element.members) expect(name in PiCheckout.prototype, name).toBe(true)
})

test('the README lists each property, event, and error, and no other', () => {
  expect(column('property')).toEqual(names(element.members))
  expect(column('property', 1)).toEqual(['client-secret', ...names(element.attributes)].sort())
  expect(column('event')).toEqual(names(element.events))
  const codes: Record<CheckoutErrorCode, true> = {
    not_configured: true,
    handoff_failed: true,
    insecure_context: true,
    invalid_values: true,
    blocked_by_csp: true,
    origin_not_allowed: true,
    protocol_mismatch: true,
    unauthorized: true,
    offline: true,
    unreachable: true,
    connection_lost: true,
    internal: true,
    cross_origin_isolated: true,
  }
  expect(column('code')).toEqual(Object.keys(codes).sort())
})

test('the README lists each slot, part, custom property, and state', () => {
  const styling = column('styling').join(' ')
  const { slots, cssParts, cssProperties, cssStates } = element
  for (const { name } of [...slots, ...cssParts, ...cssProperties]) expect(styling).toContain(name)
  for (const { name } of cssStates) expect(column('property', 2)).toContain(name)
})

test('the README lists each exported value, and no other', () => {
  const exported = [entry, client, testing].flatMap((names) => Object.keys(names))
  const named = column('export').map((name) => name.replace(/\(.*/, ''))
  expect(named.filter((name) => !name.startsWith('.')).sort()).toEqual(exported.sort())
})
