/**
 * What the commands print without `--json`.
 *
 * @module
 */

import type { RunningService } from '../start/start.ts'
import type { AdminResult } from './admin-commands.ts'
import type { DoctorFinding } from './doctor/doctor-finding.ts'

/** What a start prints: the merchant's variables to paste, and where to look. */
export function banner(ready: RunningService['ready']): string {
  return [
    'The Payment Intents service is ready. It is a sandbox: no real card, no real money.',
    '',
    `  PI_BASE_URL=${ready.baseUrl}`,
    `  PI_CHECKOUT_ORIGIN=${ready.checkoutOrigin}`,
    `  PI_API_KEY=${ready.apiKey ?? '(shown when it was made; pi-service keys create makes another)'}`,
    '',
    `  inspector    ${ready.inspectorUrl}`,
    '  test cards   4242 4242 4242 4242 succeeds, 4000 0000 0000 0002 is declined,',
    '               4000 0000 0000 3220 asks for a code (1234)',
  ].join('\n')
}

/** What a command did or found. */
export function describeResult(result: AdminResult): string {
  if ('apiKey' in result) {
    return `${result.apiKey}\nKey ${result.id} of ${result.merchant} (${result.environment}). Keep it now: it is not shown again.`
  }
  if ('keys' in result) {
    return result.keys
      .map(({ id, display, merchant, environment, revokedAt, expiresAt }) => {
        // From a running service the time comes as the text that JSON makes of it.
        const until = expiresAt ? `  until ${new Date(expiresAt).toISOString()}` : ''
        const end = revokedAt ? '  revoked' : until
        return `${id}  ${display}  ${merchant} (${environment})${end}`
      })
      .join('\n')
  }
  if ('findings' in result) return describeFindings(result.findings)
  if ('secretRevoked' in result) {
    return `The clientSecret of ${result.id} is revoked. It opens no checkout, and open sessions have ended.`
  }
  if ('revoked' in result) return `Key ${result.id} is revoked.`
  if ('merchants' in result) {
    return result.merchants
      .map(({ merchant, environment, workingKeys, origins }) =>
        [
          `${merchant} (${environment})`,
          workingKeys === 1 ? '1 working key' : `${workingKeys} working keys`,
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

const noOrigin = 'no origin, so no page shows its checkout'

/** Returns one line for each finding, with its advice below. */
export function describeFindings(findings: readonly DoctorFinding[]): string {
  return findings
    .flatMap(({ about, level, found, advice }) => [
      `${level.toUpperCase().padEnd(4)}  ${about}: ${found}`,
      ...(advice ? [`      → ${advice}`] : []),
    ])
    .join('\n')
}
