/** Faults for test environments: by header for one request, by rule for the next ones. @module */
import { requestFaults, statusFaults } from '@pi-checkout/contract/sandbox'
import {
  type FaultOperation,
  type FaultRule,
  faultNames,
  type StoredFaultRule,
} from '../../../shared/sandbox-api.ts'
import { ProblemError } from '../../http/problem.ts'

export type FaultRules = ReturnType<typeof createFaultRules>

export function createFaultRules() {
  let rules: readonly Rule[] = []
  let count = 0
  const removeIf = (isRemoved: (rule: Rule) => boolean): boolean => {
    const before = rules.length
    rules = rules.filter((rule) => !isRemoved(rule))
    return rules.length < before
  }
  return {
    add: (environmentId: string, rule: FaultRule): void => {
      rules = [...rules, { ...rule, id: ++count, environmentId }]
    },
    list: (id: string): readonly StoredFaultRule[] =>
      rules
        .filter(({ environmentId }) => environmentId === id)
        .map(({ environmentId: _, ...rule }) => rule),
    remove: (environment: string, ruleId: number): boolean =>
      removeIf(({ environmentId, id }) => environmentId === environment && id === ruleId),
    clear: (id: string): boolean => removeIf(({ environmentId }) => environmentId === id),
    /** Returns the fault of the first rule for an operation, and decrements its `times`. */
    take: (id: string, operation: FaultOperation): readonly string[] => {
      const first = rules.find(({ environmentId, on }) => environmentId === id && on === operation)
      if (!first) return []
      const rest = first.times > 1 ? [{ ...first, times: first.times - 1 }] : []
      rules = rules.flatMap((rule) => (rule === first ? rest : [rule]))
      return [first.do]
    },
  }
}

interface Rule extends StoredFaultRule {
  readonly environmentId: string
}

/** Reads the header `Sandbox-Fault`. */
export function readFaults(header: string | readonly string[] = []): readonly string[] {
  const faults =
    header.length === 0
      ? []
      : String(header)
          .split(',')
          .map((text) => text.trim())
  if (faults.every(isFault)) return faults
  throw new ProblemError('invalid_header', `Sandbox-Fault must be one of ${faultNames}.`)
}

export function isFault(text: string): boolean {
  return faults.has(text) || /^delay=\d{1,5}$/.test(text)
}

const faults: ReadonlySet<string> = new Set([...requestFaults, ...statusFaults])
