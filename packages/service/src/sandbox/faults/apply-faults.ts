/** Applies faults to the operations of test environments. Live environments have no faults. @module */
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { headers } from '@pi-checkout/contract'
import type { Fault, FaultOperation } from '../../../shared/sandbox-api.ts'
import { ProblemError, retryLater } from '../../http/problem.ts'
import { ConnectionDropped, type Handler, type RouteResponse } from '../../http/response.ts'
import { singleHeader } from '../../http/single-header.ts'
import { idempotencyKeyInUse, type Operation } from '../../intents/routes.ts'
import { type FaultRules, faultText, readFaults } from './queued-rules.ts'

/** @param stopping - Ends the waits of all faults. */
export function faultWrapper(
  rules: FaultRules,
  stopping: AbortSignal,
): <Input>(on: FaultOperation, operation: Operation<Input>) => Handler {
  return (on, { access, parse, handle }) =>
    async (call) => {
      const client = await access(call)
      const { environment } = client
      if (environment.mode === 'live') return await handle(call, await parse(call, client))
      const requested = readFaults(singleHeader(call.request, headers.sandboxFault))
      const input = await parse(call, client)
      // Read rules after parsing, because rejected requests do not use up a rule.
      const faults = [...requested, ...rules.take(environment.id, on)]
      if (faults.length === 0) return await handle(call, input)
      call.faults = faults.map(faultText)
      await beforeHandler(faults, stopping)
      const response = await handle(call, input)
      return call.request.method === 'HEAD' ? response : afterHandler(response, faults, stopping)
    }
}

async function beforeHandler(faults: readonly Fault[], stopping: AbortSignal): Promise<void> {
  for (const fault of faults) {
    switch (fault.type) {
      case 'delay':
        await wait(fault.ms, stopping)
        break
      case 'drop-before-commit':
        throw new ConnectionDropped()
      case '409':
        throw idempotencyKeyInUse()
      case '500':
        throw new ProblemError('internal_error', 'Simulated by the sandbox fault 500.')
      case '503':
        throw retryLater('store_unavailable', 'Simulated by the sandbox fault 503.')
      case '429':
        throw retryLater('rate_limited', 'Simulated by the sandbox fault 429.')
      default:
    }
  }
}

async function wait(milliseconds: number, stopping: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal: stopping }).catch(() => {})
}

function afterHandler(
  response: RouteResponse,
  faults: readonly Fault[],
  stopping: AbortSignal,
): RouteResponse {
  const has = (type: Fault['type']): boolean => faults.some((fault) => fault.type === type)
  if (has('drop-after-commit')) throw new ConnectionDropped()
  const { body } = response
  if (typeof body !== 'string') return response
  if (has('truncate-body')) return cut(response, body, (out) => out.destroy())
  if (has('stall-body')) return cut(response, body, (out) => destroyAtStop(out, stopping))
  if (has('malformed-json')) return { ...response, body: body.replace('"', "'") }
  return response
}

/** Returns the response with the first half of its body. `end` is called when it is written. */
function cut(response: RouteResponse, body: string, end: (out: Writable) => void): RouteResponse {
  return {
    ...response,
    headers: { ...response.headers, 'content-length': String(Buffer.byteLength(body)) },
    body: (out) => void out.write(body.slice(0, body.length / 2), () => end(out)),
  }
}

function destroyAtStop(out: Writable, stopping: AbortSignal): void {
  const destroy = (): void => void out.destroy()
  if (stopping.aborted) destroy()
  stopping.addEventListener('abort', destroy)
  out.once('close', () => stopping.removeEventListener('abort', destroy))
}
