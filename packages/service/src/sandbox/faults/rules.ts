/**
 * Faults for test environments, such as a lost response. A header applies them to one request, and rules apply
 * them to the next ones.
 *
 * @module
 */
import { timedFaults } from '@pi-checkout/contract/sandbox'
import {
  type Fault,
  type FaultOperation,
  type FaultRule,
  faultNames,
  type StoredFaultRule,
  simpleFaults,
} from '../../../shared/sandbox-api.ts'
import { ProblemError } from '../../http/problem.ts'

/** Fault rules of one instance, by id of a test environment. */
export type FaultRules = ReturnType<typeof createFaultRules>

/** Creates an empty list of rules. */
export function createFaultRules() {
  const byEnvironment = new Map<string, Rule[]>()
  let count = 0
  const rulesOf = (environment: string): readonly Rule[] => byEnvironment.get(environment) ?? []
  const store = (environment: string, rules: Rule[]): void => {
    if (rules.length > 0) byEnvironment.set(environment, rules)
    else byEnvironment.delete(environment)
  }
  return {
    add: (environment: string, rule: FaultRule): void => {
      const added = { rule: { ...rule, id: ++count }, fault: knownFault(rule.do), left: rule.times }
      store(environment, [...rulesOf(environment), added])
    },
    list: (environment: string): readonly StoredFaultRule[] =>
      rulesOf(environment).map(({ rule, left }) => ({ ...rule, times: left })),
    /** Removes a rule. Returns whether it existed. */
    remove: (environment: string, id: number): boolean => {
      const before = rulesOf(environment)
      const after = before.filter(({ rule }) => rule.id !== id)
      store(environment, after)
      return after.length < before.length
    },
    /** Removes the rules of one environment, or of all environments if it is `undefined`. */
    clear: (environment: string | undefined): void => {
      if (environment === undefined) byEnvironment.clear()
      else byEnvironment.delete(environment)
    },
    /** Returns the fault of the first rule for an operation, and decrements its `times`. */
    take: (environment: string, operation: FaultOperation): readonly Fault[] => {
      const rules = byEnvironment.get(environment)
      const first = rules?.find(({ rule }) => rule.on === operation)
      if (!rules || !first) return []
      first.left--
      store(
        environment,
        rules.filter(({ left }) => left > 0),
      )
      return [first.fault]
    },
  }
}

interface Rule {
  readonly rule: StoredFaultRule
  readonly fault: Fault
  left: number
}

/**
 * Reads the comma-separated faults of a header.
 *
 * @throws {ProblemError} If a fault does not exist.
 */
export function readFaults(header: string | undefined): readonly Fault[] {
  return header === undefined ? [] : header.split(',').map((text) => knownFault(text))
}

/** Reads a fault. Returns `undefined` if it does not exist. */
export function readFault(text: string): Fault | undefined {
  const [, name, digits] = /^([a-z0-9-]+)(?:=(\d{1,5}))?$/.exec(text.trim()) ?? []
  const simple = simpleFaults.find((each) => each === name)
  if (simple && digits === undefined) return { type: simple }
  const timed = timedFaults.find((each) => each === name)
  return timed && digits !== undefined ? { type: timed, ms: Number(digits) } : undefined
}

function knownFault(text: string): Fault {
  const fault = readFault(text)
  if (fault) return fault
  throw new ProblemError('invalid_header', `Sandbox-Fault must be one of ${faultNames}.`)
}
