/** Long polling for changes of an intent. @module */

import type { IntentKey } from '../intents/intents.ts'
import { nextDeadline } from '../intents/lifecycle.ts'
import type { Holder, Notifier } from '../notifier/notifier.ts'
import type { RetrievedSnapshot } from './intent-snapshot.ts'

/**
 * Waits until the intent reaches `version`, for 20 to 25 seconds.
 *
 * @param request - `read` reads the intent, first before the wait and then after each possible change.
 * @returns The latest snapshot, even if it has not reached `version`; `undefined` if the intent does not exist.
 */
export async function waitForVersion(
  notifier: Notifier,
  key: IntentKey,
  {
    version,
    read,
    ...holder
  }: {
    readonly version: number
    readonly read: (isAgain: boolean) => Promise<RetrievedSnapshot | undefined>
  } & Holder,
): Promise<RetrievedSnapshot | undefined> {
  const until = performance.now() + maxWait - Math.random() * spread
  const waiting = notifier.begin(key.id, version, holder)
  try {
    for (let isAgain = false; ; isAgain = true) {
      const snapshot = await read(isAgain)
      if (!snapshot || snapshot.intent.version >= version) return snapshot
      if ((await waiting.next(until, dueOf(snapshot))) === 'over') return snapshot
    }
  } finally {
    waiting.end()
  }
}

/** Maximum wait in milliseconds. Proxies and browsers time out after 30 seconds or more. */
const maxWait = 25_000
/** In milliseconds. Pages that connected together, for example after a restart, do not return together. */
const spread = 5000

/** Returns the next deadline in real time. */
function dueOf({ intent, environment }: RetrievedSnapshot): Date | undefined {
  const deadline = nextDeadline(intent)
  return deadline && new Date(deadline.getTime() - environment.clockOffset)
}
