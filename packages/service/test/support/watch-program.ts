/** Watches a running program from outside: its health, its memory, and the time that it gets. Linux only. @module */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { rawRequest } from '@pi-checkout/test-support/raw-http'
import type { startService } from '@pi-checkout/test-support/stack'

export type Program = Awaited<ReturnType<typeof startService>>

/** Fails if two polls in a row are late, or one is six times as late. A slow disk delays only one, and not as long. */
export async function watchHealth(
  program: Program,
  signal: AbortSignal,
  { limit = 500, from }: { readonly limit?: number; readonly from?: string } = {},
): Promise<void> {
  for (let last = ''; !signal.aborted; await sleep(100)) {
    const { took, text } = await pollHealth(program, from)
    const late = took > limit ? text : ''
    if (late && (last || took > 6 * limit)) throw new Error(`Late /healthz: ${last}; ${late}`)
    last = late
  }
}

/**
 * Returns how many milliseconds a response took, without those in which service or test waited for a processor of a busy
 * machine.
 */
async function pollHealth({ ready, child }: Program, from?: string) {
  const [begin, service, own] = [performance.now(), scheduled(child.pid), scheduled('self')]
  const { port, host } = new URL(ready.baseUrl)
  const request = `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
  // Much longer than the limit, so that a wait for a processor does not end it.
  const result = await rawRequest(port, request, { from, timeoutMs: 30_000 }).catch(String)
  const took = performance.now() - begin
  const ran = scheduled(child.pid).ran - service.ran
  const waited =
    scheduled(child.pid).waited - service.waited + scheduled('self').waited - own.waited
  const [total, busy, queued] = [took, ran, waited].map(Math.round)
  const text = `${result} after ${total} ms (the service ran for ${busy} ms; waited for a processor: ${queued} ms)`
  return { took: result.includes('"ok"') ? took - waited : Infinity, text }
}

/** Milliseconds in which the main thread ran, and waited for a processor. */
function scheduled(pid: number | string | undefined): { ran: number; waited: number } {
  const [ran, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number)
  return { ran: Number(ran) / 1e6, waited: Number(waited) / 1e6 }
}

export function residentMegabytes({ child }: Program): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024)
}
