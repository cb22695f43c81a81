/**
 * The long poll: waits until an intent has moved on, a deadline included.
 *
 * It asks the store, because another instance may move the intent.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import type { IntentKey } from '../intents/store.ts'
import { type Standing, standingOf } from './standing.ts'

/**
 * Returns where the intent stands as soon as its version has reached `version`, or when the time is up.
 *
 * @param signal Ends the wait early: the asker has gone.
 */
export async function waitForVersion(
  context: Context,
  key: IntentKey,
  { version, signal }: { readonly version: number; readonly signal: AbortSignal },
): Promise<Standing | undefined> {
  const end = performance.now() + longestWait
  let standing = await standingOf(context, key)
  while (standing && standing.intent.version < version && performance.now() < end) {
    await sleep(pause, undefined, { signal }).catch(() => {})
    if (signal.aborted) return standing
    standing = await standingOf(context, key)
  }
  return standing
}

/** Longest wait in milliseconds: proxies and browsers give up on a silent answer after 30 s or more. */
const longestWait = 25_000
const pause = 300
