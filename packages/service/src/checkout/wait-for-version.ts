/**
 * The long poll: waits until an intent has moved on, a deadline included.
 *
 * @module
 */
import type { IntentKey } from '../intents/store.ts'
import type { Notifier, Wait } from '../notifier/notifier.ts'
import type { ReadStanding, ReadStandings } from './standing.ts'

/**
 * Returns where the intent stands as soon as its version has reached `version`, or when its wait ends.
 *
 * @param wait `holder`: whose request it is · `signal`: ends the wait when the client has gone.
 */
export async function waitForVersion(
  { read, notifier }: { readonly read: ReadStandings; readonly notifier: Notifier },
  key: IntentKey,
  { version, ...wait }: { readonly version: number } & Omit<Wait, 'until'>,
): Promise<ReadStanding | undefined> {
  const until = performance.now() + longestWait
  for (;;) {
    const standing = await read(key)
    if (!standing || standing.intent.version >= version) return standing
    const woken = await notifier.waitFor(key.id, version, { ...wait, until })
    if (wait.signal.aborted) return standing
    if (woken === 'over') return await read(key)
  }
}

/** Longest wait in milliseconds: proxies and browsers give up on a silent answer after 30 s or more. */
const longestWait = 25_000
