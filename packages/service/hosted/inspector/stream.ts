/**
 * Keeps the stream of changes open.
 *
 * @module
 */
import type { Topic } from '../../shared/sandbox-api.ts'
import { pause, retryPause } from './refresher.ts'
import type { SandboxApi } from './sandbox-api.ts'

/** Opens the stream again whenever it ends, until the signal aborts. */
export async function followChanges(
  api: SandboxApi,
  {
    onChange,
    onLost,
    signal,
  }: {
    readonly onChange: (topics: readonly Topic[]) => void
    readonly onLost: (reason: unknown) => void
    readonly signal: AbortSignal
  },
): Promise<void> {
  while (!signal.aborted) {
    const reason = await api.follow(onChange, signal).catch((error: unknown) => error)
    if (signal.aborted) return
    onLost(reason)
    await pause(retryPause)
  }
}
