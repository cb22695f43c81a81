/** What the command prints for people. @module */
import type { Exploration } from '../explore.ts'

/** @param replay - The command that plays these steps again. */
export function report(
  { violation, sequences, notChecked }: Exploration,
  replay: (steps: string) => string,
): string {
  const unchecked = notChecked.map((each) => `  ${each}`)
  if (unchecked.length > 0) {
    unchecked.unshift('Not checked, because it needs a part of an adapter:')
  }
  if (!violation) {
    const clean = 'No payment was lost, doubled, or invented.'
    return [...unchecked, `No violation. Sequences: ${sequences}. ${clean}`].join('\n')
  }
  const steps = violation.steps.map((step, index) => `  ${index + 1}. ${step}`)
  return [
    `${violation.title} (${violation.rule})`,
    violation.detail,
    '',
    'The shortest sequence, in which a buyer first loads the page:',
    ...steps,
    `  ${steps.length + 1}. Buyers pay what they still hold, the bank decides, and the buyers come back.`,
    '',
    `Play it again:  ${replay(violation.replay)}`,
    ...unchecked,
  ].join('\n')
}
