import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { readCreate, rejectBrowser } from '../../src/intents/parse-request.ts'

function message(headers: Record<string, string | string[]>): IncomingMessage {
  return { headers, rawHeaders: Object.entries(headers).flat() } as unknown as IncomingMessage
}

test('rejects the headers that only browsers send', () => {
  for (const header of ['origin', 'sec-fetch-site']) {
    expect(() => rejectBrowser(message({ [header]: 'null' }))).toThrow(
      expect.objectContaining({
        code: 'secret_key_in_browser',
        message:
          "Secret API keys are for the merchant's server only. Call this from there, and send the page id and clientSecret.",
      }),
    )
  }
  expect(() => rejectBrowser(message({ referer: 'https://shop.example' }))).not.toThrow()
})

const order = { amount: 150000, currency: 'AMD', orderId: 'A-1001' }
const bytes = (body: unknown): Buffer => Buffer.from(JSON.stringify(body))
const unknownFields = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1]))
const isUnknown = (index: number): string => `f${index} is not a parameter of this operation`
const five = [0, 1, 2, 3, 4].map(isUnknown).join('; ')

test('reads the body of a create', () => {
  expect(readCreate(bytes({ ...order, currency: 'amd' }))).toEqual(order)
})

test.each<[unknown, code: string, listed: number, omitted: number, detail: string | RegExp]>([
  [null, 'invalid_body', 1, 0, /^body must .*\.$/],
  [[], 'invalid_body', 1, 0, /^body must .*\.$/],
  ['text', 'invalid_body', 1, 0, /^body must .*\.$/],
  [{ ...order, amount: 0 }, 'validation_failed', 1, 0, 'amount must be at least 1 minor unit.'],
  [{ ...order, amount: 0, f0: 1 }, 'unknown_parameter', 2, 0, /f0 is not a parameter/],
  [{ ...order, ...unknownFields(5) }, 'unknown_parameter', 5, 0, `${five}.`],
  [{ ...order, ...unknownFields(6) }, 'unknown_parameter', 6, 0, `${five}; and 1 more.`],
  [{ ...order, ...unknownFields(25) }, 'unknown_parameter', 20, 5, `${five}; and 20 more.`],
])('rejects body %#', (body, code, listed, omitted, detail) => {
  expect(() => readCreate(bytes(body))).toThrow(
    expect.objectContaining({
      ...{ code, errorsOmitted: omitted },
      errors: expect.objectContaining({ length: listed }),
      message: typeof detail === 'string' ? detail : expect.stringMatching(detail),
    }),
  )
})
