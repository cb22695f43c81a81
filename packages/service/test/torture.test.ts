import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { Instances } from '../src/torture/instances.ts'
import { newLedger, sendLoad } from '../src/torture/load.ts'
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
    expect(report.intents).toBe(Number(report.keys) + Number(report.expired))
    expect(report.kills).toBeGreaterThan(0)
    expect(report.acknowledged).toBeGreaterThanOrEqual(Number(report.keys))
  }
  expect(reports[0]).toMatchObject({ rotated: expect.toSatisfy((steps: number) => steps > 0) })
  expect(reports[0]).toMatchObject({ expired: expect.toSatisfy((keys: number) => keys > 0) })
  expect(status).toBe(0)
})

test('where one instance of torture does not start, the others are ended all the same', async () => {
  const ended: number[] = []
  const instances = new Instances(3, async (at) => {
    if (at === 0) throw new Error('An instance did not start')
    await new Promise((resolve) => setTimeout(resolve, 10 * at))
    return { url: '', apiKey: null, end: async () => void ended.push(at) }
  })
  await expect(instances.startAll()).rejects.toThrow('An instance did not start')
  await instances.endAll('SIGKILL')
  expect(ended).toEqual([1, 2])
})

test('a wrong answer ends the load of torture at once, whatever else is still being tried', async () => {
  const failure = new AbortController()
  let asked = 0
  const server = createServer((_request, response) => {
    response.statusCode = asked++ === 0 ? 400 : 503
    response.end(JSON.stringify({ retryable: response.statusCode === 503 }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const options = { merchants: 4, stopped: () => false, signal: failure.signal }
  const load = sendLoad(newLedger(), () => ({ url, apiKey: 'x' }), options)
  await expect(load).rejects.toThrow('A create was refused with 400')
  failure.abort()
  const before = asked
  await new Promise((resolve) => setTimeout(resolve, 150))
  expect(asked).toBeLessThanOrEqual(before + 4)
  server.close()
  server.closeAllConnections()
})
