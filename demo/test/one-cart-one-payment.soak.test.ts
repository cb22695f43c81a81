import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repeatable } from '@pi-checkout/test-support/generated'
import fc from 'fast-check'
import { afterAll, beforeAll, test } from 'vitest'
import { type Payments, startPayments } from './payments.ts'
import { Walk } from './walk.ts'

const walks = Number(process.env.PI_WALKS ?? 8)

let payments: Payments
let folder: string
beforeAll(async () => {
  payments = await startPayments()
  folder = await mkdtemp(join(tmpdir(), 'shop-walks-'))
})
afterAll(async () => {
  await payments.close()
  await rm(folder, { recursive: true, force: true })
})

test(
  'takes one payment for a cart and shows each payment to its buyer',
  async () => {
    let number = 0
    await fc.assert(
      fc.asyncProperty(fc.commands(steps, { maxCommands: 40, size: 'max' }), async (commands) => {
        const walk = await Walk.start(payments, join(folder, String(number++)))
        try {
          await walk.begin()
          await fc.asyncModelRun(() => ({ model: walk, real: walk }), commands)
          await walk.finish()
        } finally {
          await walk.close()
        }
      }),
      repeatable(walks),
    )
  },
  60_000 + walks * 10_000,
)

type Step = fc.AsyncCommand<Walk, Walk>

/** A step of one buyer, or of the shop, as a line that a failure prints. */
function step(
  { by, line }: { readonly by?: number; readonly line: string },
  run: (walk: Walk) => Promise<void> | void,
  isPossible: (walk: Walk) => boolean = () => true,
): Step {
  return {
    check: isPossible,
    run: async (walk) => {
      await run(walk)
      await walk.check(by)
    },
    toString: () => (by === undefined ? line : `buyer ${by} ${line}`),
  }
}

/** Mostly the first buyer. */
const who = fc.constantFrom(0, 0, 0, 0, 1)
const product = fc.constantFrom('thyme-tea', 'lori-honey')
/** Mostly the newest. */
const nth = fc.constantFrom(0, 0, 0, 1, 2)
const outcome = fc.constantFrom(
  ...(['succeeded', 'succeeded', 'processing', 'processing', 'requires_action'] as const),
  ...(['declined', 'failed', 'canceled', 'expired'] as const),
)
const press = fc.constantFrom('add', 'add', 'add', 'fewer', 'remove')
const page = fc.constantFrom('new', 'new', 'outdated')

const change = fc.tuple(who, product, press, page).map(([by, what, button, seen]) =>
  step({ by, line: `presses ${button} for ${what} on a page that is ${seen}` }, async (walk) => {
    if (seen === 'new') await walk.look(by)
    await walk.change(by, what, button)
  }),
)
const checkOut = who.map((by) => step({ by, line: 'checks out' }, (walk) => walk.checkOut(by)))
const checkOutTwice = who.map((by) =>
  step({ by, line: 'checks out in two tabs' }, (walk) => walk.checkOutTwice(by)),
)
const pay = fc.tuple(who, nth, outcome).map(([by, tab, to]) =>
  step(
    { by, line: `pays in tab ${tab}: ${to}` },
    (walk) => walk.pay(by, tab, to),
    (walk) => walk.hasTab(by),
  ),
)
const watch = fc.tuple(who, nth).map(([by, tab]) =>
  step(
    { by, line: `waits for the result in tab ${tab}` },
    (walk) => walk.watch(by, tab),
    (walk) => walk.hasTab(by),
  ),
)
const closeTab = fc.tuple(who, nth).map(([by, tab]) =>
  step(
    { by, line: `closes tab ${tab}` },
    (walk) => walk.closeTab(by, tab),
    (walk) => walk.hasTab(by),
  ),
)
const open = who.map((by) =>
  step(
    { by, line: 'opens the form of the last order' },
    (walk) => walk.open(by),
    (walk) => walk.hasOrder(by),
  ),
)
const currency = fc
  .tuple(who, fc.constantFrom('AMD', 'EUR'))
  .map(([by, code]) =>
    step({ by, line: `chooses ${code}` }, (walk) => walk.chooseCurrency(by, code)),
  )
const reconcile = fc.constant(step({ line: 'the shop reconciles' }, (walk) => walk.reconcile()))
const restart = fc.constant(step({ line: 'the shop restarts' }, (walk) => walk.restartShop()))

/** Seldom, because the service takes seconds to start. */
let outages = 0
const outage = who.map((by) =>
  step(
    { by, line: 'checks out while the service is killed' },
    async (walk) => {
      outages++
      await walk.outage(by)
    },
    () => outages < walks / 10,
  ),
)

const steps = [
  ...[change, change, change, change, checkOut, checkOut, checkOutTwice, open, open],
  ...[pay, pay, pay, pay, watch, watch, closeTab, currency, reconcile, restart, outage],
]
