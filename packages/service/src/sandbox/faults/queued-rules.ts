/** Faults for test environments: by header for one request, by rule for the next ones. @module */
import {
  type Fault,
  type FaultOperation,
  type FaultRule,
  faultNames,
  type StoredFaultRule,
  simpleFaults,
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
    add: (environment: string, rule: FaultRule): void => {
      const fault = knownFault(rule.do)
      rules = [...rules, { environment, rule: { ...rule, id: ++count }, fault, left: rule.times }]
    },
    list: (environmentId: string): readonly StoredFaultRule[] =>
      rules
        .filter(({ environment }) => environment === environmentId)
        .map(({ rule, left }) => ({ ...rule, times: left })),
    remove: (environmentId: string, id: number): boolean =>
      removeIf(({ environment, rule }) => environment === environmentId && rule.id === id),
    /** Removes the rules of one environment, or of all environments if it is `undefined`. */
    clear: (id: string | undefined): boolean =>
      removeIf(({ environment }) => id === undefined || environment === id),
    /** Returns the fault of the first rule for an operation, and decrements its `times`. */
    take: (id: string, on: FaultOperation): readonly Fault[] => {
      const first = rules.find(({ environment, rule }) => environment === id && rule.on === on)
      if (!first) return []
      first.left--
      rules = rules.filter(({ left }) => left > 0)
      return [first.fault]
    },
  }
}

interface Rule {
  readonly environment: string
  readonly rule: StoredFaultRule
  readonly fault: Fault
  left: number
}

export function readFaults(header: string | readonly string[] | undefined): readonly Fault[] {
  return header === undefined
    ? []
    : String(header)
        .split(',')
        .map((text) => knownFault(text))
}

export function readFault(text: string): Fault | undefined {
  const [, name, digits] = /^([a-z0-9-]+)(?:=(\d{1,5}))?$/.exec(text.trim()) ?? []
  const simple = simpleFaults.find((each) => each === name)
  if (simple && digits === undefined) return { type: simple }
  return name === 'delay' && digits !== undefined ? { type: name, ms: Number(digits) } : undefined
}

/** Returns a fault as the header `Sandbox-Fault` names it. */
export function faultText(fault: Fault): string {
  return fault.type === 'delay' ? `delay=${fault.ms}` : fault.type
}

function knownFault(text: string): Fault {
  const fault = readFault(text)
  if (fault) return fault
  throw new ProblemError('invalid_header', `Sandbox-Fault must be one of ${faultNames}.`)
}
