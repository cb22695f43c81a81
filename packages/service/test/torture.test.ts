import { expect, test } from 'vitest'
import { command } from './support/process.ts'

test('torture: kills, cut connections, lost answers and a rotation double and lose nothing', {
  timeout: 240_000,
}, async () => {
  const { status, out, error } = await command(['torture', '--seconds', '4', '--json'])
  expect(error).toBe('')
  const reports = JSON.parse(out) as Record<string, unknown>[]
  expect(reports.map(({ store }) => store)).toEqual(['postgres', 'embedded'])
  for (const report of reports) {
    expect(report).toMatchObject({ doubled: 0, lost: 0 })
    expect(report.intents).toBe(report.keys)
    expect(report.kills).toBeGreaterThan(0)
    expect(report.acknowledged).toBeGreaterThanOrEqual(Number(report.keys))
  }
  expect(status).toBe(0)
})
