/**
 * Plays random schedules of two merchants with two instances each, one store, and equal order ids: at each `await` another
 * part may go on, an instance may crash, and a request may fail. It returns what was violated.
 *
 * @module
 */
import { seededRandom } from '@pi-checkout/test-support/seeded-random'
import { onTestFinished, vi } from 'vitest'
import type { PaymentStore } from '../../src/checkout/payment-record.ts'
import { memoryPayments, PiError } from '../../src/index.ts'
import { type Fault, type Merchant, mixes, newMerchant, type World } from './model-merchant.ts'
import * as parts from './parts.ts'

/** What a schedule plays. */
interface Model {
  /** @default One of `mixes`, in turn. */
  readonly mix?: readonly Fault[] | undefined
  /** The classes under test. */
  readonly parts?: typeof parts
  /** @default memoryPayments */
  readonly newStore?: () => PaymentStore
  /** How the environments are told apart. */
  readonly scopeOf?: (merchant: number) => string
}

/** What may happen next; the more often, the likelier. */
const actions = [
  'handoff',
  'handoff',
  'status',
  'reconcile',
  'resolve',
  'resolve',
  'pay',
  'pay',
  'edit',
  'fault',
] as const

const day = 86_400_000

const first = Number(process.env.PI_SEED ?? Math.floor(Math.random() * 2 ** 31))

/** Plays schedules until one violates a rule, and returns it with its seed. */
export async function firstViolation({
  schedules = 100_000,
  violation = /./,
  ...model
}: Model & { readonly schedules?: number; readonly violation?: RegExp }) {
  // The time limit of a hook in a crashed instance never passes.
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  for (let seed = first; seed < first + schedules; seed++) {
    const violated = await play(seed, model)
    if (violated && violation.test(violated)) return `PI_SEED=${seed}: ${violated}`
    vi.clearAllTimers()
  }
  return undefined
}

/** Plays one schedule. Returns the violated rule, or `undefined`. */
async function play(
  seed: number,
  {
    parts: played = parts,
    mix = mixes[seed % mixes.length] ?? [],
    newStore = memoryPayments,
    scopeOf = (merchant) => `test environment${merchant} ${seed}`,
  }: Model,
): Promise<string | undefined> {
  const random = seededRandom(seed)
  const violations: string[] = []
  let gates: { readonly instance: symbol; readonly resume: () => void }[] = []
  const world: World = {
    parts: played,
    scopeOf,
    store: newStore(),
    isCalm: false,
    has: (fault) => mix.includes(fault),
    happens: (probability) => random() < probability,
    pick: <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T,
    check: (holds, rule) => {
      if (!holds) violations.push(rule)
    },
    gate: (instance) => new Promise((resume) => gates.push({ instance, resume })),
    crash: (crashed) => {
      gates = gates.filter(({ instance }) => instance !== crashed)
    },
  }
  const { has, happens, pick } = world
  vi.setSystemTime(Date.UTC(2026, 0, 1))
  const merchants = [newMerchant(world, 0), newMerchant(world, 1)] as const
  /** A hook ends within its time limit. */
  const pass = (times: readonly number[]): void => {
    if (merchants.some(({ isInHook }) => isInHook())) return
    vi.setSystemTime(Date.now() + pick(times))
  }

  const act = (name: (typeof actions)[number], merchant: Merchant): unknown => {
    if (name === 'fault') {
      // A clock that goes back within a request could make an expired lease valid again.
      const back = gates.length === 0 ? [-91 * day, -3_600_000] : []
      if (has('clockJumps') && happens(0.5)) pass([91 * day, 2 * day, ...back])
      if (has('lostRecords') && happens(0.5)) world.store = newStore()
      return merchant.changeKey()
    }
    if (name === 'reconcile') {
      pass([1_000, 61_000, 3_600_000])
      if (merchant.isInHook()) return undefined
    }
    return merchant[name]()
  }
  const start = (name: string, run: () => unknown): void => {
    const task = async (): Promise<unknown> => run()
    task().catch((error: unknown) => {
      const text = String(error)
      const isExpected = /HandoffRejection|^InvalidParams|^ShopError: .*(onPaid|injected)/.test(
        text,
      )
      if (!isExpected && !PiError.is(error)) violations.push(`${name}: ${text}`)
    })
  }
  // It runs when no promise is left to continue: every part waits at a gate then.
  const settle = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))
  const resumeOne = (): void => {
    vi.setSystemTime(Date.now() + 1)
    gates.splice(Math.floor(random() * gates.length), 1)[0]?.resume()
  }
  const drain = async (): Promise<void> => {
    await settle()
    while (gates.length > 0) {
      resumeOne()
      await settle()
    }
  }

  for (let left = 20; left > 0 || gates.length > 0; ) {
    await settle()
    if (left > 0 && (gates.length === 0 || happens(0.3))) {
      left--
      const name = pick(actions)
      const merchant = happens(0.85) ? merchants[0] : merchants[1]
      start(name, () => act(name, merchant))
    } else if (has('crashes') && happens(0.03)) {
      pick(merchants).crash()
    } else resumeOne()
  }
  await drain()
  if (has('lostRecords')) return violations[0]

  // The intents become final, and time passes.
  world.isCalm = true
  for (const { end } of merchants) end()
  for (let round = 0; round < 400; round++) {
    const records = await Promise.all(merchants.map(({ stored }) => stored()))
    if (records.every((record) => (record?.checkAt ?? null) === null)) break
    for (const merchant of merchants) start('reconcile', () => act('reconcile', merchant))
    await drain()
    vi.setSystemTime(Date.now() + day)
  }
  for (const { lastHandoff } of merchants) start('lastHandoff', lastHandoff)
  await drain()
  for (const { checkEnd } of merchants) await checkEnd()
  return violations[0]
}
