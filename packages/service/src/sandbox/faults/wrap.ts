/**
 * Faults around an operation of a test environment: before its work, around it, and in its response.
 *
 * This is the only place that applies faults. A live environment never reaches it.
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

/** Returns the function that makes a handler of an operation, with the faults of its environment. */
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
      // A request that was rejected does not use up a rule.
      const faults = [...requested, ...rules.take(environment.id, on)]
      await beforeHandler(faults)
      const work = async (): Promise<RouteResponse> => await handle(call, input)
      const response = await unlessHeld(client, faults, work)
      return call.request.method === 'HEAD' ? response : afterHandler(response, faults)
    }

  /** Duplicates of a key that a fault holds wait here; other duplicates wait in the store. */
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
    if (await held.isFree(key)) return await work()
    throw idempotencyKeyInUse()
  }
}

async function beforeHandler(faults: readonly Fault[]): Promise<void> {
  for (const fault of faults) {
    switch (fault.type) {
      case 'delay':
        await sleep(fault.ms)
        break
      case 'fail-before-commit':
        throw new ConnectionDropped()
      case '500':
        throw new ProblemError('internal_error', 'The sandbox was asked to fail.')
      case '503':
        throw retryLater('store_unavailable', 'The sandbox was asked to be unavailable.')
      case '429':
        throw retryLater('rate_limited', 'The sandbox was asked to reject the request.')
      default:
    }
  }
}

function afterHandler(response: RouteResponse, faults: readonly Fault[]): RouteResponse {
  const has = (type: Fault['type']): boolean => faults.some((fault) => fault.type === type)
  if (has('drop-after-commit')) throw new ConnectionDropped()
  if (has('truncate-body')) return { ...response, isTruncated: true }
  if (has('malformed-json') && typeof response.body === 'string') {
    return { ...response, body: response.body.replace('"', "'") }
  }
  return response
}
