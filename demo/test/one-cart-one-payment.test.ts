import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, test } from 'vitest'
import { type Payments, startPayments } from './payments.ts'
import { Walk } from './walk.ts'

/** A failure prints both; `PI_WALK_SEED=… PI_WALKS=…` walks the same way again. */
const seed = Number(process.env.PI_WALK_SEED ?? Math.floor(Math.random() * 2 ** 31))
const walks = Number(process.env.PI_WALKS ?? 20)

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

test('takes one payment for a cart and shows each payment to its buyer', async () => {
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
    { seed, numRuns: walks, endOnFailure: process.env.PI_WALK_SHRINK === undefined },
  )
})

type Step = fc.AsyncCommand<Walk, Walk>

/** A step as a line that a failure prints. */
function step(
  line: string,
  run: (walk: Walk) => Promise<void> | void,
  isPossible: (walk: Walk) => boolean = () => true,
): Step {
  return {
    check: isPossible,
    run: async (walk) => {
      await run(walk)
      await walk.check()
    },
    toString: () => line,
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

const change = fc
  .tuple(
    who,
    product,
    fc.constantFrom('add', 'add', 'add', 'fewer', 'remove'),
    fc.constantFrom('new', 'new', 'old'),
  )
  .map(([by, what, press, page]) =>
    step(`buyer ${by} presses ${press} on ${what}, ${page} page`, async (walk) => {
      if (page === 'new') await walk.look(by)
      await walk.change(by, what, press)
    }),
  )
const checkOut = who.map((by) => step(`buyer ${by} checks out`, (walk) => walk.checkOut(by)))
const checkOutTwice = who.map((by) =>
  step(`buyer ${by} checks out in two tabs`, (walk) => walk.checkOutTwice(by)),
)
const pay = fc.tuple(who, nth, outcome).map(([by, tab, to]) =>
  step(
    `buyer ${by}, form ${tab}: ${to}`,
    (walk) => walk.pay(by, tab, to),
    (walk) => walk.hasTab(by),
  ),
)
const watch = fc.tuple(who, nth).map(([by, tab]) =>
  step(
    `buyer ${by}, form ${tab}: its page asks the shop`,
    (walk) => walk.watch(by, tab),
    (walk) => walk.hasTab(by),
  ),
)
const closeTab = fc.tuple(who, nth).map(([by, tab]) =>
  step(
    `buyer ${by} closes form ${tab}`,
    (walk) => walk.closeTab(by, tab),
    (walk) => walk.hasTab(by),
  ),
)
const open = who.map((by) =>
  step(
    `buyer ${by} opens the last order's form`,
    (walk) => walk.open(by),
    (walk) => walk.hasOrder(by),
  ),
)
const currency = fc
  .tuple(who, fc.constantFrom('AMD', 'EUR'))
  .map(([by, code]) => step(`buyer ${by} chooses ${code}`, (walk) => walk.chooseCurrency(by, code)))
const reconcile = fc.constant(step('the shop reconciles', (walk) => walk.reconcile()))
const restart = fc.constant(step('the shop restarts', (walk) => walk.restartShop()))

/** Seldom, because the service takes seconds to start. */
let outages = 0
const outage = who.map((by) =>
  step(
    `the service is killed while buyer ${by} checks out`,
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
