import { piService, runProgram } from '@pi-checkout/test-support/process'
import { expect, test } from 'vitest'
import { startPostgres } from '../support/lifetime.ts'

test('says that a standby or a read-only server is not the primary', async () => {
  const primary = await startPostgres()
  const readOnly = encodeURIComponent('-c default_transaction_read_only=on')
  const standby = await primary.startStandby()
  for (const url of [`${primary.url}?options=${readOnly}`, standby.url]) {
    for (const flags of [[], ['--check']]) {
      const args = [piService, 'start', '--database-url', url, '--port', '0', ...flags]
      const { code, output, errors } = await runProgram(args, { env: primary.env })
      expect(code).toBe(1)
      expect(output + errors).toContain(
        'The database is read-only, or a standby. Set PI_DATABASE_URL to the primary, and',
      )
    }
  }
})
