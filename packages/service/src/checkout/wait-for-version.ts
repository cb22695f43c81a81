/** Long polling for changes of an intent. @module */
import type { IntentKey } from '../intents/intents.ts'
import type { Notifier, Wait } from '../notifier/notifier.ts'
import type { ReadSnapshot, RetrievedSnapshot } from './intent-snapshot.ts'

/**
 * Waits until the intent reaches `version`, for at most 25 seconds.
 *
 * @param wait - `read` reads the intent again. `holder` identifies the session that waits. `signal` ends the
 * wait, for example when the client disconnects.
 * @returns The latest snapshot, even if it has not reached `version`; `undefined` if the intent does not exist.
 */
export async function waitForVersion(
  notifier: Notifier,
  key: IntentKey,
  {
    version,
    read,
    ...wait
  }: { readonly version: number; readonly read: ReadSnapshot } & Omit<Wait, 'until'>,
): Promise<RetrievedSnapshot | undefined> {
  const until = performance.now() + maxWait
  for (;;) {
    const snapshot = await read(key)
    if (!snapshot || snapshot.intent.version >= version) return snapshot
    const woken = await notifier.waitFor(key.id, version, { ...wait, until })
    if (wait.signal.aborted) return snapshot
    if (woken === 'over') return await read(key)
  }
}

/** Maximum wait in milliseconds. Proxies and browsers time out after 30 seconds or more. */
const maxWait = 25_000
