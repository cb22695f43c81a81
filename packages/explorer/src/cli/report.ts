/** What the command prints for people. @module */
import type { Exploration } from '../exploration.ts'

export function report(
  { violation, sequences, seed, actions, notChecked }: Exploration,
  command: readonly string[],
  adapter: string | undefined,
): string {
  const unchecked = notChecked.length > 0 ? [`Not checked: ${notChecked.join(', ')}.`] : []
  const played = Object.entries(actions).map(([name, count]) => `${name} ${count}`)
  if (!violation)
    return [
      `No violation in ${sequences} ${sequences === 1 ? 'sequence' : 'sequences'} (seed ${seed}).`,
      `Played: ${played.join(', ')}.`,
      ...unchecked,
    ].join('\n')
  const steps = violation.steps.map((step, index) => `  ${index + 1}. ${step}`)
  const requests = violation.requests.map(
    ({ buyer, method, path, status, times }) =>
      `  ${buyer}  ${method} ${path}  ${status || 'no response'}${times > 1 ? ` (${times} times)` : ''}`,
  )
  return [
    `${violation.title} (${violation.rule})`,
    violation.detail,
    '',
    'The shortest sequence:',
    ...steps,
    `  ${steps.length + 1}. Buyers pay what they still hold, the bank decides, and the buyers come back.`,
    '',
    'Requests to the shop:',
    ...requests,
    '',
    `Play it again:  npx pi-explore ${adapter ? `--adapter ${adapter} ` : ''}--replay '${violation.replay}' -- ${command.join(' ')}`,
    ...unchecked,
  ].join('\n')
}
