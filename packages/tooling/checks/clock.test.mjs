// Tests set the time: only clock.ts reads the system's clock.
import { execFileSync } from 'node:child_process'
import { root } from '@pi-checkout/test-support/process'
import { expect, test } from 'vitest'

test('no file of the service except clock.ts reads the system clock', () => {
  const args = ['grep', '-lE', String.raw`Date\.now\b|new Date\(\)`, '--', 'packages/service/src']
  const found = execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  expect(found.trim().split('\n')).toEqual(['packages/service/src/clock.ts'])
})
