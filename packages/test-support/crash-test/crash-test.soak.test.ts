import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { root, runProgram } from '../src/process.ts'
import { startSite } from '../src/sites.ts'
import { Instances } from './instances.ts'
import { newLedger, sendLoad } from './load.ts'

test('crashes, a rotation, and expired keys duplicate and lose no intent', {
  timeout: 240_000,
}, async () => {
  const main = `${root}packages/test-support/crash-test/main.ts`
  const args = ['--import', 'tsx', main, '--seconds', '4', '--json']
  const { code, output, errors } = await runProgram(args)
  expect(errors).toBe('')
  const reports = JSON.parse(output) as Record<string, unknown>[]
  expect(reports.map(({ store }) => store)).toEqual(['postgres', 'embedded'])
  for (const report of reports) {
    expect(report).toMatchObject({ duplicates: 0, missing: 0 })
    expect(report.intents).toBe(Number(report.keys) + Number(report.expired))
    expect(report.kills).toBeGreaterThan(0)
    expect(report.acknowledged).toBeGreaterThanOrEqual(Number(report.keys))
  }
  expect(reports[0]?.rotated).toBeGreaterThan(0)
  expect(reports[0]?.expired).toBeGreaterThan(0)
  expect(code).toBe(0)
})

test('stops the other instances if one does not start', async () => {
  const stopped: number[] = []
  const instances = new Instances(3, async (index) => {
    if (index === 0) throw new Error('An instance did not start')
    await sleep(10 * index)
    return { url: '', apiKey: null, stop: async () => void stopped.push(index) }
  })
  await expect(instances.startAll()).rejects.toThrow('An instance did not start')
  await instances.stopAll('SIGKILL')
  expect(stopped).toEqual([1, 2])
})

test('a wrong response ends the load immediately', async () => {
  const failure = new AbortController()
  let received = 0
  const service = await startSite((_request, response) => {
    response.statusCode = received++ === 0 ? 400 : 503
    response.end(JSON.stringify({ retryable: response.statusCode === 503 }))
  })
  const options = { merchants: 4, stopped: () => false, signal: failure.signal }
  const target = () => ({ url: service.origin, apiKey: 'x' })
  await expect(sendLoad(newLedger(), target, options)).rejects.toThrow('rejected with 400')
  failure.abort()
  const before = received
  await sleep(150)
  expect(received).toBeLessThanOrEqual(before + 4)
  await service.close()
})
