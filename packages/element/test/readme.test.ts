import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as client from '../src/client/index.ts'
import type { CheckoutErrorCode, PiEventFields } from '../src/index.ts'
import * as entry from '../src/index.ts'
import * as testing from '../src/testing/index.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test('the README explains each error code, and names each event, property, method, and export', () => {
  const codes: Record<CheckoutErrorCode, true> = {
    not_configured: true,
    handoff_failed: true,
    insecure_context: true,
    blocked_by_csp: true,
    origin_not_allowed: true,
    protocol_mismatch: true,
    unauthorized: true,
    offline: true,
    unreachable: true,
    connection_lost: true,
    internal: true,
    cross_origin_isolated: true,
    foreign_frame: true,
    invalid_base_path: true,
    order_mismatch: true,
    status_failed: true,
  }
  const events: Record<keyof PiEventFields, true> = {
    'pi-ready': true,
    'pi-statechange': true,
    'pi-leave': true,
    'pi-phase': true,
    'pi-finish': true,
    'pi-cancel': true,
    'pi-error': true,
  }
  const [, rows = ''] = readme.split('## Errors')
  for (const code of Object.keys(codes))
    expect(rows).toMatch(new RegExp(`^\\|.*\`${code}\`.*\\|`, 'm'))
  const names = [entry, client, testing, events, entry.PiCheckout.properties].flatMap(Object.keys)
  for (const name of names) expect(readme).toMatch(new RegExp(`\`${name}\\b`))
})
