/**
 * Faults for test environments: a merchant sees what its code does when a response is lost. A header requests
 * them for one request, rules for the next ones.
 *
 * @module
 */
import {
  type Fault,
  type FaultOperation,
  type FaultRule,
  faultNames,
  type StoredFaultRule,
} from '../../../shared/sandbox-api.ts'
import { ProblemError } from '../../http/problem.ts'

/** The rules of one instance. Each belongs to one test environment, by its id. */
export type FaultRules = ReturnType<typeof createFaultRules>

/** Creates an empty list of rules. */
export function createFaultRules() {
  const byEnvironment = new Map<string, Rule[]>()
  let count = 0
  const rulesOf = (environment: string): readonly Rule[] => byEnvironment.get(environment) ?? []
  const keep = (environment: string, rules: Rule[]): void => {
    if (rules.length > 0) byEnvironment.set(environment, rules)
    else byEnvironment.delete(environment)
  }
  return {
    add: (environment: string, rule: FaultRule): void => {
      const added = { rule: { ...rule, id: ++count }, fault: knownFault(rule.do), left: rule.times }
      keep(environment, [...rulesOf(environment), added])
    },
    list: (environment: string): readonly StoredFaultRule[] =>
      rulesOf(environment).map(({ rule, left }) => ({ ...rule, times: left })),
    /** Returns whether the environment had such a rule. */
    remove: (environment: string, id: number): boolean => {
      const before = rulesOf(environment)
      const after = before.filter(({ rule }) => rule.id !== id)
      keep(environment, after)
      return after.length < before.length
    },
    /** Removes the rules of one environment; `undefined`: of all. */
    clear: (environment: string | undefined): void => {
      if (environment === undefined) byEnvironment.clear()
      else byEnvironment.delete(environment)
    },
    /** Uses up the environment's first rule for an operation, once. Most often there is none. */
    take: (environment: string, operation: FaultOperation): readonly Fault[] => {
      const rules = byEnvironment.get(environment)
      const due = rules?.find(({ rule }) => rule.on === operation)
      if (!rules || !due) return []
      due.left--
      keep(
        environment,
        rules.filter(({ left }) => left > 0),
      )
      return [due.fault]
    },
  }
}

interface Rule {
  readonly rule: StoredFaultRule
  readonly fault: Fault
  left: number
}

/**
 * Reads the faults in a header, separated by commas.
 *
 * @throws {ProblemError} `invalid_header` if there is no such fault.
 */
export function readFaults(header: string | undefined): readonly Fault[] {
  return header === undefined ? [] : header.split(',').map((text) => knownFault(text))
}

/** Reads a fault of a header or a rule; `undefined` if there is none of this name. */
export function readFault(text: string): Fault | undefined {
  const [, name, digits] = /^([a-z0-9-]+)(?:=(\d{1,5}))?$/.exec(text.trim()) ?? []
  switch (name) {
    case 'delay':
    case 'hold-key':
      return digits === undefined ? undefined : { type: name, ms: Number(digits) }
    case 'drop-after-commit':
    case 'fail-before-commit':
    case 'truncate-body':
    case 'malformed-json':
    case '500':
    case '503':
    case '429':
      return digits === undefined ? { type: name } : undefined
    default:
      return undefined
  }
}

function knownFault(text: string): Fault {
  const fault = readFault(text)
  if (fault) return fault
  throw new ProblemError('invalid_header', `Sandbox-Fault must be one of ${faultNames}.`)
}
