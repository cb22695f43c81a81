/** Long polling for changes of an intent. @module */
import type { IntentKey } from '../intents/intent-row.ts'
import { nextDeadline } from '../intents/lifecycle.ts'
import type { Holder, Notifier, Woken } from '../notifier/notifier.ts'
import type { RetrievedSnapshot } from './intent-snapshot.ts'

export interface VersionWait extends Holder {
  readonly version: number
  /** Milliseconds until the session expires. */
  readonly lifetime: number
  /** Reads the intent: first before the wait, and then again after each possible change, of which it gets the kind. */
  readonly read: (woken?: Woken) => Promise<RetrievedSnapshot | undefined>
  /** Called every 36 to 45 seconds, if the request can wait for minutes. */
  readonly onPulse?: (() => void) | undefined
}

/**
 * Waits until the intent reaches a version, or the session expires: for 8 to 10 minutes, or without `onPulse` for 20 to
 * 25 seconds.
 *
 * @returns The latest snapshot, even if it has not reached the version; `undefined` if the intent does not exist.
 */
export async function waitForVersion(
  notifier: Notifier,
  key: IntentKey,
  { version, lifetime, read, onPulse, ...holder }: VersionWait,
): Promise<RetrievedSnapshot | undefined> {
  const longest = onPulse ? longestHold : longestWait
  // Pages that connected together, for example after a restart, do not return together.
  const until = performance.now() + Math.min(lifetime, longest * (1 - Math.random() / 5))
  const waiting = notifier.begin(key.id, version, holder)
  try {
    for (let woken: Woken | undefined; ; ) {
      const snapshot = await read(woken)
      if (!snapshot || snapshot.intent.version >= version) return snapshot
      for (woken = 'pause'; woken === 'pause'; ) {
        const pause = onPulse ? nextPulse() : until
        woken = await waiting.next(Math.min(until, pause), dueOf(snapshot))
        if (woken === 'over' || performance.now() >= until) return snapshot
        if (woken === 'pause') onPulse?.()
      }
    }
  } finally {
    waiting.end()
  }
}

/** In milliseconds. Proxies time out after 50 seconds without a byte (HAProxy on Debian), or later. */
const pulseInterval = 45_000
const longestWait = 25_000
const longestHold = 600_000

/**
 * Returns the time of the next pulse, in 36 to 45 seconds: at random, because thousands of pages may have connected
 * together, and once a second, so that the process wakes less often.
 */
function nextPulse(): number {
  const pause = pulseInterval * (1 - Math.random() / 5)
  return Math.floor((performance.now() + pause) / pulseStep) * pulseStep
}

/** In milliseconds. */
const pulseStep = 1000

/** Returns the next deadline in real time. */
function dueOf({ intent, environment }: RetrievedSnapshot): Date | undefined {
  const deadline = nextDeadline(intent)
  return deadline && new Date(deadline.getTime() - environment.clockOffset)
}
