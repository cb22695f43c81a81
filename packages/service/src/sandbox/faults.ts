/**
 * Faults for the operations of test environments: by header for one request, by rule for the next ones. Live environments
 * have none.
 *
 * @module
 */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { headers, type ProblemCode } from '@pi-checkout/contract'
import { requestFaults, statusFaults } from '@pi-checkout/contract/sandbox'
import type { FaultOperation, FaultRule, StoredFaultRule } from '../../shared/sandbox-api.ts'
import { ConnectionDropped, type OperationHooks } from '../http/app.ts'
import { ProblemError, retryLater } from '../http/problem.ts'
import { idempotencyKeyInUse } from '../intents/idempotency.ts'
import type { AppOptions } from '../options.ts'

/** Creates the rules of each environment, in the order in which they are used. */
export function createFaultRules() {
  const rules = new Map<string, readonly StoredFaultRule[]>()
  let count = 0
  const list = (environment: string) => rules.get(environment) ?? []
  return {
    list,
    add: (environment: string, rule: FaultRule): void => {
      rules.set(environment, [...list(environment), { ...rule, id: ++count }])
    },
    remove: (environment: string, ruleId: number): boolean => {
      const before = list(environment)
      const kept = before.filter(({ id }) => id !== ruleId)
      rules.set(environment, kept)
      return kept.length < before.length
    },
    clear: (environment: string): boolean => rules.delete(environment),
    /** Returns the fault of the first rule for an operation, and decrements its `times`. */
    take: (environment: string, operation: FaultOperation): readonly string[] => {
      const before = list(environment)
      const first = before.find(({ on }) => on === operation)
      if (!first) return []
      const rest = first.times > 1 ? [{ ...first, times: first.times - 1 }] : []
      const after = before.flatMap((rule) => (rule === first ? rest : [rule]))
      rules.set(environment, after)
      return [first.do]
    },
  }
}

/** Reads the header `Sandbox-Fault`. */
function readFaults(header: string | readonly string[] | undefined): readonly string[] {
  if (header === undefined) return []
  const names = String(header).split(',')
  const faults = names.map((name) => name.trim()).filter(Boolean)
  if (faults.every(isFault)) return faults
  throw new ProblemError('invalid_header', `Sandbox-Fault must be one of ${faultNames}.`)
}

export function isFault(text: string): boolean {
  return faults.has(text) || /^delay=\d{1,5}$/.test(text)
}

const faults: ReadonlySet<string> = new Set([...requestFaults, ...statusFaults])

/** Names of the faults, for messages. */
export const faultNames: string = [...faults, 'delay=ms'].join(', ')

export function faultHooks(
  on: FaultOperation,
  { faults: rules, stopping }: AppOptions,
): OperationHooks {
  return {
    before: async ({ facts, headers: sent }) => {
      const { environment } = facts
      if (environment?.mode !== 'test') return
      const requested = readFaults(sent[headers.sandboxFault])
      facts.faults = [...requested, ...rules.take(environment.id, on)]
      for (const fault of facts.faults) await applyBefore(fault, stopping)
    },
    after: ({ facts, method }, reply, body, next) => {
      const { faults, problem } = facts
      if (faults.length === 0 || problem || method === 'HEAD') return next(null, body)
      if (faults.includes('drop-after-commit')) return next(new ConnectionDropped())
      const text = String(body)
      if (faults.includes('malformed-json')) {
        facts.responseBody = text.replace('"', "'")
        return next(null, facts.responseBody)
      }
      const ending = faults.includes('truncate-body')
        ? nextTurn()
        : faults.includes('stall-body') && stalled(reply.raw, stopping)
      if (!ending) return next(null, body)
      facts.responseBody = undefined
      reply.header('content-length', Buffer.byteLength(text))
      next(null, Readable.from(cut(text, ending)))
    },
  }
}

async function applyBefore(fault: string, stopping: AbortSignal): Promise<void> {
  const [name = '', milliseconds] = fault.split('=')
  switch (name) {
    case 'delay':
      await sleep(Number(milliseconds), undefined, { signal: stopping }).catch(() => {})
      break
    case 'drop-before-commit':
      throw new ConnectionDropped()
    case '409':
      throw idempotencyKeyInUse()
    default: {
      const code = codes.get(name)
      const detail = `Simulated by the sandbox fault ${name}.`
      if (code === 'internal_error') throw new ProblemError(code, detail)
      if (code) throw retryLater(code, detail)
    }
  }
}

const codes: ReadonlyMap<string, ProblemCode> = new Map([
  ['429', 'rate_limited'],
  ['500', 'internal_error'],
  ['503', 'store_unavailable'],
] as const)

/** Sends the first half of a text, and closes the connection after `ending`. */
async function* cut(text: string, ending: Promise<unknown>): AsyncGenerator<string> {
  yield text.slice(0, text.length / 2)
  await ending
  throw new ConnectionDropped()
}

/** Waits until the client leaves, or the service stops. */
async function stalled(response: ServerResponse, stopping: AbortSignal): Promise<void> {
  const left = new AbortController()
  response.once('close', () => left.abort())
  await once(stopping, 'abort', { signal: left.signal }).catch(() => {})
}
