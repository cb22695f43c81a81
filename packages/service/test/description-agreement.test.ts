import { CreatePaymentIntent, problemCodes } from '@pi-checkout/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { docsPage } from '../src/description/docs.ts'
import { openapi, ProblemAnswer } from '../src/description/openapi.ts'

const description = openapi('http://127.0.0.1:4000')
// What a reader of the description alone would accept.
const Described = z.fromJSONSchema(
  description.components.schemas.CreatePaymentIntent as z.core.JSONSchema.JSONSchema,
)
const valid = { amount: 150000, currency: 'AMD', orderId: 'A-1001' }

test.each<[string, unknown, boolean]>([
  ['the least', valid, true],
  ['lower case', { ...valid, currency: 'amd' }, true],
  ['everything', { ...valid, customer: { id: 'c', email: 'a@b', name: 'n' }, metadata: {} }, true],
  ['explicit nulls', { ...valid, customer: null, metadata: null }, true],
  ['no amount', { currency: 'AMD', orderId: 'A-1001' }, false],
  ['amount as text', { ...valid, amount: '150000' }, false],
  ['half a unit', { ...valid, amount: 1.5 }, false],
  ['nothing to pay', { ...valid, amount: 0 }, false],
  ['more than a double holds', { ...valid, amount: 2 ** 53 }, false],
  ['another currency', { ...valid, currency: 'GBP' }, false],
  ['an empty order id', { ...valid, orderId: '' }, false],
  ['33 characters', { ...valid, orderId: 'x'.repeat(33) }, false],
  ['a misspelt field', { ...valid, order_id: 'A' }, false],
  ['a customer without id', { ...valid, customer: { name: 'n' } }, false],
  ['a long customer id', { ...valid, customer: { id: 'x'.repeat(65) } }, false],
  ['an e-mail without @', { ...valid, customer: { id: 'c', email: 'nobody' } }, false],
  ['metadata of numbers', { ...valid, metadata: { a: 1 } }, false],
  ['a long metadata key', { ...valid, metadata: { ['k'.repeat(41)]: '' } }, false],
  ['a long metadata value', { ...valid, metadata: { k: 'v'.repeat(501) } }, false],
  ['a list', [], false],
])('description and service agree on a body: %s', (_, body, accepted) => {
  expect(CreatePaymentIntent.safeParse(body).success).toBe(accepted)
  expect(Described.safeParse(body).success).toBe(accepted)
})

test('every reference in the description leads somewhere, and every example keeps its schema', () => {
  const text = JSON.stringify(description)
  for (const [, path = ''] of text.matchAll(/"\$ref":"#([^"]+)"/g)) {
    const found = path
      .split('/')
      .slice(1)
      .reduce<unknown>((at, name) => Reflect.get(Object(at), name), description)
    expect([path, found]).toEqual([path, expect.any(Object)])
  }
  const operations = Object.values(description.paths).flatMap(Object.values) as Operation[]
  const examples = operations.flatMap(({ responses = {} }) =>
    Object.values(responses).flatMap(({ content }) =>
      Object.values(content['application/problem+json']?.examples ?? {}),
    ),
  )
  expect(examples.length).toBeGreaterThan(25)
  for (const { value } of examples) ProblemAnswer.parse(value)
})

interface Operation {
  readonly responses?: Record<
    string,
    { readonly content: Record<string, { readonly examples?: Record<string, { value: unknown }> }> }
  >
}

test('the documentation has a row with advice for every code that any answer can carry', () => {
  const page = docsPage('http://127.0.0.1:4000')
  for (const code of Object.keys(problemCodes)) expect(page).toContain(`<tr id="${code}">`)
})

test('the documentation loads nothing but its own style, and runs nothing', () => {
  const page = docsPage('http://127.0.0.1:4000')
  const loaded = [...page.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, address]) => address)
  expect(loaded).toEqual(['/docs.css', '/openapi.json'])
  expect(page).not.toContain('<script')
})
