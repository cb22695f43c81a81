import { piService, runProgram } from '@pi-checkout/test-support/process'
import { expect, test } from 'vitest'
import { startPostgres } from '../support/lifetime.ts'

test('says that a standby or a read-only server is not the primary', async () => {
  const primary = await startPostgres()
  const readOnly = encodeURIComponent('-c default_transaction_read_only=on')
  const standby = await primary.startStandby()
  for (const url of [`${primary.url}?options=${readOnly}`, standby.url]) {
    for (const command of ['start', 'doctor']) {
      const args = [piService, command, '--database-url', url, '--port', '0']
      const { code, output, errors } = await runProgram(args, { env: primary.env })
      expect(code).toBe(1)
      expect(output + errors).toMatch(
        /The database is read-only, or a standby\.\s+(→ )?Set PI_DATABASE_URL to the primary, and/,
      )
    }
  }
})
