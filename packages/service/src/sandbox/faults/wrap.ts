/**
 * Applies faults to the operations of test environments: before the work, during it, and in the response.
 * Live environments have no faults.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { headers } from '@pi-checkout/contract'
import type { Fault, FaultOperation } from '../../../shared/sandbox-api.ts'
import { ProblemError, retryLater } from '../../http/problem.ts'
import { ConnectionDropped, type Handler, type RouteResponse } from '../../http/response.ts'
import { singleHeader } from '../../http/single-header.ts'
import { type ApiClient, idempotencyKeyInUse, type Operation } from '../../intents/routes.ts'
import { createHeldKeys } from './held-keys.ts'
import { type FaultRules, readFaults } from './rules.ts'

/** Returns the function that creates a handler of an operation with the faults of its environment. */
export function faultWrapper(
  rules: FaultRules,
): <Input>(on: FaultOperation, operation: Operation<Input>) => Handler {
  const held = createHeldKeys()
  return (on, { access, parse, handle }) =>
    async (call) => {
      const client = await access(call)
      const { environment } = client
      if (environment.mode === 'live') return await handle(call, await parse(call, client))
      const requested = readFaults(singleHeader(call.request, headers.sandboxFault))
      const input = await parse(call, client)
      // Read rules after parsing, because rejected requests do not use up a rule.
      const faults = [...requested, ...rules.take(environment.id, on)]
      await beforeHandler(faults)
      const work = async (): Promise<RouteResponse> => await handle(call, input)
      const response = await unlessHeld(client, faults, work)
      return call.request.method === 'HEAD' ? response : afterHandler(response, faults)
    }

  /** Runs the work, unless another request holds its idempotency key. */
  async function unlessHeld(
    { environment, idempotencyKey }: ApiClient,
    faults: readonly Fault[],
    work: () => Promise<RouteResponse>,
  ): Promise<RouteResponse> {
    if (idempotencyKey === undefined) return await work()
    const key = `${environment.id} ${idempotencyKey}`
    for (const fault of faults) {
      if (fault.type === 'hold-key') return await held.hold(key, fault.ms, work)
    }
    if (await held.waitUntilFree(key)) return await work()
    throw idempotencyKeyInUse()
  }
}

async function beforeHandler(faults: readonly Fault[]): Promise<void> {
  for (const fault of faults) {
    switch (fault.type) {
      case 'delay':
        await sleep(fault.ms)
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

function afterHandler(response: RouteResponse, faults: readonly Fault[]): RouteResponse {
  const has = (type: Fault['type']): boolean => faults.some((fault) => fault.type === type)
  if (has('drop-after-commit')) throw new ConnectionDropped()
  if (has('truncate-body')) return { ...response, cut: 'closed' }
  if (has('stall-body')) return { ...response, cut: 'stalled' }
  if (has('malformed-json') && typeof response.body === 'string') {
    return { ...response, body: response.body.replace('"', "'") }
  }
  return response
}
