/** Text output of the commands, without `--json`. @module */

import type { StartCheck } from '../start/check-start.ts'
import type { RunningService } from '../start/start.ts'
import type { AdminResult } from './admin-commands.ts'

/** @param showsToken - Whether the link to the inspector contains its token. */
export function banner(ready: RunningService['ready'], showsToken: boolean): string {
  const link = ready.inspectorUrl
  const inspector = showsToken
    ? link
    : link.replace(/#.*/, ' (its token is printed in a terminal only)')
  return [
    'The Payment Intents service is ready. It accepts test cards only, and no money moves.',
    '',
    `  PI_BASE_URL=${ready.baseUrl}`,
    `  PI_CHECKOUT_ORIGIN=${ready.checkoutOrigin}`,
    `  PI_API_KEY=${ready.apiKey ?? '(not shown; run pi-service keys create for a key)'}`,
    '',
    `  inspector    ${inspector}`,
    '  test cards   4242 4242 4242 4242 succeeds, 4000 0000 0000 0002 is declined,',
    '               4000 0000 0000 3220 asks for a code (1234)',
  ].join('\n')
}

export function describeResult(result: AdminResult): string {
  if ('apiKey' in result) {
    return `${result.apiKey}\nKey ${result.id} of ${result.merchant} (${result.environment}). Store it now: it is not shown again.`
  }
  if ('keys' in result) {
    return result.keys
      .map(({ id, display, merchant, environment, revokedAt, expiresAt }) => {
        // A running service sends the time as JSON text.
        const until = expiresAt ? `  until ${new Date(expiresAt).toISOString()}` : ''
        const end = revokedAt ? '  revoked' : until
        return `${id}  ${display}  ${merchant} (${environment})${end}`
      })
      .join('\n')
  }
  if ('secretRevoked' in result) {
    return `The clientSecret of ${result.id} is revoked, and its open checkout sessions have ended.`
  }
  if ('revoked' in result) return `Key ${result.id} is revoked.`
  if ('merchants' in result) {
    return result.merchants
      .map(({ merchant, environment, workingKeys, origins }) =>
        [
          `${merchant} (${environment})`,
          workingKeys === 1 ? '1 valid key' : `${workingKeys} valid keys`,
          origins.join(', ') || noOrigin,
        ].join('  '),
      )
      .join('\n')
  }
  if (!('merchant' in result)) {
    const lines = result.origins.map(
      ({ origin, merchant, environment }) => `${origin}  ${merchant} (${environment})`,
    )
    return lines.join('\n')
  }
  return `${result.merchant} (${result.environment}): ${result.origins.join(', ') || noOrigin}`
}

const noOrigin = 'no origin, so no page can show its checkout'

export function describeCheck({ ok, problems, warnings }: StartCheck): string {
  return [
    ...problems.map((problem) => `FAIL  ${problem}`),
    ...warnings.map((warning) => `WARN  ${warning}`),
    ...(ok ? ['OK    The service can start.'] : []),
  ].join('\n')
}
