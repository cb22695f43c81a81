import { expect, test } from 'vitest'
import { type Adapter, checkAdapter, notChecked } from '../src/adapter.ts'
import { shorten } from '../src/shorten.ts'
import { describeStep, readStep, stepDealer, writeStep } from '../src/steps.ts'

const steps = (adapter: Adapter = {}): readonly string[] => {
  const deal = stepDealer(adapter)
  return Array.from({ length: 150 }, () => writeStep(deal()))
}

test('each step can be replayed', () => {
  for (const step of steps()) expect(writeStep(readStep(step))).toBe(step)
})

test('makes only steps that the adapter knows', () => {
  const actionsOf = (adapter: Adapter) => steps(adapter).map((step) => step.split('.')[0])
  for (const action of ['edit', 'finish', 'restart', 'crash']) {
    expect(actionsOf({})).not.toContain(action)
  }
  expect(actionsOf({ edit: async () => undefined })).toContain('edit')
})

test('plays a rare action soon', () => {
  const dealt = steps()
    .slice(0, 50)
    .map((step) => step.replace(/\.\w\.\d/, ''))
  expect(dealt).toEqual(expect.arrayContaining(['forged-price.order', 'leave.half', 'follow']))
})

test('describes a step for people', () => {
  const described = ['pay.B.2.declined', 'leave.A.1.half'].map((step) =>
    describeStep(readStep(step)),
  )
  expect(described).toEqual([
    'Buyer B pays in tab 2: declined.',
    'Buyer A disconnects after half of the handoff request.',
  ])
})

test('says which parts of the adapter and of its records are missing', () => {
  expect(notChecked({}, [])).toEqual([
    'the price of an order (begin)',
    'orders that are edited (edit)',
    'what the page sends after pi-finish (finish)',
    'restarts of the shop (survivesRestart)',
    'payments of buyers who do not come back (state)',
    'payments that need a review (reviews)',
    'double fulfilment (fulfilments)',
  ])
  const adapter: Adapter = { edit: async () => undefined, record: async () => undefined }
  const missing = notChecked(adapter, [{ state: 'open', fulfilments: 0 }, { state: 'missing' }])
  expect(missing).toContain('payments that need a review (reviews)')
  expect(missing).not.toContain('double fulfilment (fulfilments)')
  expect(missing).not.toContain('orders that are edited (edit)')
  // Nothing is known of a record before the first one.
  expect(notChecked(adapter, [])).not.toContain('payments that need a review (reviews)')
})

test.each(['pay.E.1', 'pay.A.0.visa', 'pay.A.1', 'pay.A.1.gold', 'fly.A.1'])(
  'rejects %s',
  (step) => {
    expect(() => readStep(step)).toThrow(`${step} is not a step.`)
  },
)

test('shortens to the steps that are needed', async () => {
  const tried: number[] = []
  const breaks = async (rest: readonly number[]) => {
    tried.push(rest.length)
    const isBroken = [3, 17, 18].every((needed) => rest.includes(needed))
    return isBroken ? rest.slice(0, rest.indexOf(18) + 1) : undefined
  }
  const found = Array.from({ length: 25 }, (_, index) => index)
  expect(await shorten(found, breaks)).toEqual([3, 17, 18])
  expect(tried.length).toBeLessThan(50)
})

test('rejects an adapter with an unknown part, which would check nothing', () => {
  const rule = 'adapter.records: is not a part of an adapter. The parts are begin, edit,'
  expect(() => checkAdapter({ records: () => undefined })).toThrow(rule)
})
