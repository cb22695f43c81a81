/** What the command prints for people. @module */
import type { Exploration } from '../explore.ts'

export function report(
  { violation, sequences, notChecked }: Exploration,
  {
    command,
    adapter,
    seconds,
  }: {
    readonly command: readonly string[]
    readonly adapter: string | undefined
    readonly seconds: number
  },
): string {
  const unchecked =
    notChecked.length > 0
      ? [
          'Not checked, because it needs a part of an adapter:',
          ...notChecked.map((each) => `  ${each}`),
        ]
      : []
  if (!violation)
    return [
      ...unchecked,
      `No violation: ${counted(sequences, 'sequence')} in ${counted(seconds, 'second')}. No payment was lost, doubled, or invented.`,
    ].join('\n')
  const steps = violation.steps.map((step, index) => `  ${index + 1}. ${step}`)
  return [
    `${violation.title} (${violation.rule})`,
    violation.detail,
    '',
    'The shortest sequence, in which a buyer first loads the page:',
    ...steps,
    `  ${steps.length + 1}. Buyers pay what they still hold, the bank decides, and the buyers come back.`,
    '',
    `Play it again:  npx pi-explore ${adapter ? `--adapter ${adapter} ` : ''}--replay '${violation.replay}' -- ${command.join(' ')}`,
    ...unchecked,
  ].join('\n')
}

function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
