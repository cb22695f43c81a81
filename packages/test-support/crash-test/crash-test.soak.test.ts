import { expect, test } from 'vitest'
import { crashTestEmbedded, crashTestPostgres } from './crash-test.ts'

test('crashes and expired keys duplicate and lose no intent', {
  timeout: 240_000,
}, async () => {
  const seconds = 4
  const onPostgres = await crashTestPostgres({ instances: 3, seconds })
  for (const report of [onPostgres, await crashTestEmbedded({ seconds })]) {
    expect(report).toMatchObject({ duplicates: 0, missing: 0 })
    expect(report.intents).toBe(report.keys + report.expired)
    expect(report.kills).toBeGreaterThan(0)
    expect(report.acknowledged).toBeGreaterThanOrEqual(report.keys)
  }
  expect(onPostgres.expired).toBeGreaterThan(0)
})
