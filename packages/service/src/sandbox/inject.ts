/**
 * What a fault does to one request: before its work, around it, and to its answer.
 *
 * @module
 */
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../../shared/sandbox-api.ts'
import { ProblemError } from '../http/problem.ts'

/** Thrown to drop the connection without an answer. */
export class Dropped extends Error {
  override readonly name = 'Dropped'
}

/** Runs the faults that come before the work. */
export async function failBefore(faults: readonly Fault[]): Promise<void> {
  for (const fault of faults) {
    switch (fault.type) {
      case 'delay':
        await sleep(fault.ms)
        break
      case 'fail-before-commit':
        throw new Dropped()
      case '500':
        throw new ProblemError('internal_error', 'The sandbox was asked to fail.')
      case '503':
        throw new ProblemError('store_unavailable', 'The sandbox was asked to be unavailable.', {
          headers: { 'retry-after': '1' },
        })
      case '429':
        throw new ProblemError('rate_limited', 'The sandbox was asked to refuse.', {
          headers: { 'retry-after': '1' },
        })
      default:
    }
  }
}

/**
 * Ends an answer as its faults want it.
 *
 * @param response Its head is not written yet.
 * @param answer Status, headers and body of the honest answer.
 */
export function endWith(
  response: ServerResponse,
  faults: readonly Fault[],
  answer: {
    readonly status: number
    readonly headers: Record<string, string | number>
    readonly body: string
  },
): void {
  const { status, headers, body } = answer
  const has = (type: Fault['type']) => faults.some((fault) => fault.type === type)
  if (has('drop-after-commit')) throw new Dropped()
  if (has('truncate-body')) {
    response.writeHead(status, headers)
    response.write(body.slice(0, body.length / 2), () => response.destroy())
    return
  }
  if (has('malformed-json')) {
    const broken = body.replace('"', "'")
    response.writeHead(status, headers).end(broken)
    return
  }
  response.writeHead(status, headers).end(body)
}
