/** A real service as a process, and its sandbox control: the outcome of each payment is set by a test. @module */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Program, type ServiceReady, startService } from '@pi-checkout/test-support/stack'

/** Where a buyer or the bank can bring an intent. */
export type Outcome =
  | 'succeeded'
  | 'declined'
  | 'failed'
  | 'requires_action'
  | 'processing'
  | 'canceled'
  | 'expired'

export interface Payments {
  readonly baseUrl: string
  readonly apiKey: string
  /**
   * Brings an intent to an outcome, as the hosted page and the bank do.
   *
   * @returns The new status; `undefined` if the intent's present status does not allow the outcome.
   */
  settle(id: string, outcome: Outcome): Promise<string | undefined>
  kill(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

export async function startPayments(): Promise<Payments> {
  const data = await mkdtemp(join(tmpdir(), 'shop-payments-'))
  let program: Program<ServiceReady>
  const start = async (): Promise<void> => {
    program = await startService(['--data', data])
  }
  await start()
  return {
    get baseUrl() {
      return program.ready.baseUrl
    },
    get apiKey() {
      return program.ready.apiKey
    },
    async settle(id, outcome) {
      const response = await fetch(`${program.ready.baseUrl}/_sandbox/intents/${id}/settle`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${program.ready.adminToken}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ outcome }),
      })
      if (response.status === 409) return undefined
      if (!response.ok) throw new Error(`settle returned ${response.status}`)
      return ((await response.json()) as { status: string }).status
    },
    async kill() {
      await program.stop('SIGKILL')
    },
    start,
    async close() {
      await program.stop()
      await rm(data, { recursive: true, force: true })
    },
  }
}
