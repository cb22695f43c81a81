/**
 * The stream of changes, opened again whenever it ends.
 *
 * @module
 */
import type { Topic } from '../../shared/sandbox-api.ts'
import { pause, retryAfter } from './reading.ts'
import type { SandboxApi } from './sandbox-api.ts'

/** Calls back with what to read again, and with why the stream was lost if that is known. */
export async function keepFollowing(
  api: SandboxApi,
  {
    changed,
    lost,
    signal,
  }: {
    readonly changed: (topics: readonly Topic[]) => void
    readonly lost: (reason: unknown) => void
    readonly signal: AbortSignal
  },
): Promise<void> {
  while (!signal.aborted) {
    const reason = await api.follow(changed, signal).catch((error: unknown) => error)
    if (signal.aborted) return
    lost(reason)
    await pause(retryAfter)
  }
}
