import { expect, test, vi } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { checkedOrigin } from '../../src/client/configuration.ts'
import { excerpt } from '../../src/client/redact.ts'
import { idempotencyKey, PaymentIntents } from '../../src/index.ts'
import { fakeService } from '../../src/testing/fake-service.ts'
import { order } from '../scripted-service.ts'

const card = '4539 1488 0343 6467'
const digits = '4539148803436467'

test.each<[string, () => unknown]>([
  ['an option', () => new PaymentIntents({ timeout: card as never })],
  ['a number', () => new PaymentIntents({ timeout: Number(digits) })],
  ['a base URL', () => new PaymentIntents({ baseUrl: `http://x.${digits}.example` })],
  ['an origin', () => checkedOrigin(card, { name: 'shopOrigin' })],
  ['the name of a field', async () => idempotencyKey({ ...order, [card]: 1 } as never)],
  ['an order of the fake service', () => fakeService().settle(digits, 'failed')],
  ['a value of a request', () => Promise.reject(new Error(excerpt(`order ${digits}`)))],
])('an error shows no card number that was given as %s', async (_, call) => {
  const { message } = await (async () => call())().then(
    () => expect.fail('the call succeeded'),
    (error: Error) => error,
  )
  expect(message).toContain('…')
  expect(message.replace(/[ -]/g, '')).not.toContain(digits)
})

test.each([[[digits]], [['doctor', `--${digits}`]], [['doctor', '--env', digits]]])(
  'the command line shows no card number that was given as %j',
  async (args) => {
    const warn = vi.fn()
    await run(args, { print: () => {}, warn })
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('…'))
    expect(warn.mock.calls.join()).not.toContain(digits)
  },
)
