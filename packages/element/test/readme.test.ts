import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as client from '../src/client/index.ts'
import { permanentCodes, retryableCodes } from '../src/errors.ts'
import type { PiEventFields } from '../src/index.ts'
import * as entry from '../src/index.ts'
import * as testing from '../src/testing/index.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test('the README explains each error code, and names each event, property, method, and export', () => {
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
  for (const code of [...permanentCodes, ...retryableCodes])
    expect(rows).toMatch(new RegExp(`^\\|.*\`${code}\`.*\\|`, 'm'))
  const names = [entry, client, testing, events, entry.PiCheckout.properties].flatMap(Object.keys)
  for (const name of names) expect(readme).toMatch(new RegExp(`\`${name}\\b`))
})
