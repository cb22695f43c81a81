/** Plays one sequence from its beginning to its end, and judges it. @module */
import { setTimeout as sleep } from 'node:timers/promises'
import { type SandboxAddress, SandboxEnvironment } from '@pi-checkout/service/testing'
import { freePort } from '@pi-checkout/test-support/free-port'
import type { Adapter } from './adapter.ts'
import { playEnd } from './ending.ts'
import type { Event } from './events.ts'
import { type Violation, violationIn } from './rules.ts'
import { Sequence } from './sequence.ts'
import { SetupError } from './setup-error.ts'
import { Shop } from './shop.ts'
import { playStep, type Step } from './steps.ts'

export interface PlayOptions {
  readonly command: readonly string[]
  readonly adapter: Adapter
  readonly service: SandboxAddress & { readonly checkoutOrigin: string }
  /** Aborted when the search ends. */
  readonly signal: AbortSignal
}

/** A sequence that was played. */
export interface PlayedSequence {
  /** Up to the first violation. */
  readonly steps: readonly Step[]
  readonly violation: Violation | undefined
  readonly events: readonly Event[]
}

/**
 * Plays steps, until one breaks a rule, and the end of the sequence. The shop and its environment are new.
 *
 * @throws {SetupError} If the shop does not start, or gives no page anything to pay with.
 */
export async function playSequence(
  steps: readonly Step[],
  { command, adapter, service, signal }: PlayOptions,
): Promise<PlayedSequence> {
  const { baseUrl, checkoutOrigin } = service
  const origin = `http://localhost:${await freePort()}`
  const environment = await SandboxEnvironment.create(service, [origin])
  const shop = new Shop({
    command,
    origin,
    env: adapter.env,
    variables: {
      PI_BASE_URL: baseUrl,
      PI_CHECKOUT_ORIGIN: checkoutOrigin,
      PI_API_KEY: environment.apiKey,
    },
    signal,
    onExit: (reason) => sequence.add({ type: 'exited', reason }),
  })
  const sequence = new Sequence({ adapter, environment, shop, checkoutOrigin })
  const played: Step[] = []
  try {
    await shop.start()
    const violation = await judged(steps, { sequence, played })
    if (!violation) expectHandoff(sequence)
    return { steps: played, violation, events: sequence.events }
  } finally {
    await shop.end()
    await environment.delete()
  }
}

async function judged(
  steps: readonly Step[],
  { sequence, played }: { readonly sequence: Sequence; readonly played: Step[] },
): Promise<Violation | undefined> {
  const { events, ledger } = sequence
  try {
    for (const step of steps) {
      // The tab that exists.
      const tab = step.tab % Math.max(ledger.held(step.buyer).length, 1)
      played.push({ ...step, tab })
      await playStep(step, sequence)
      const violation = violationIn(events)
      if (violation) return violation
    }
    return await playEnd(sequence)
  } catch (error) {
    // A request of the adapter fails if the shop exits in the meantime.
    await sleep(200)
    if (!events.some(({ type }) => type === 'exited')) throw error
    return violationIn(events)
  }
}

/** @throws {SetupError} If no page got a handoff: every sequence would be in vain. */
function expectHandoff({ ledger, events, shop }: Sequence): void {
  if (ledger.handoffs.length > 0) return
  const last = events.findLast((event) => event.type === 'handoff')
  throw new SetupError(
    `The handoff returned ${last?.status || 'no response'} and no { id, clientSecret }. Describe your routes in an adapter: --adapter FILE.\n${shop.lines.join('\n')}`,
  )
}
