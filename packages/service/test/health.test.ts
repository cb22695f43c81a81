import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../src/config.ts'
import { create, startTestService, type TestService } from './support/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})

afterAll(async () => await service.stop())

test('a running service is healthy and ready, and shows metrics only when asked for', async () => {
  const [health, ready, metrics] = await Promise.all(
    ['/healthz', '/readyz', '/metrics'].map(async (path) => await fetch(service.url + path)),
  )
  expect([health?.status, await health?.json()]).toEqual([200, { status: 'ok' }])
  expect([ready?.status, await ready?.json()]).toEqual([200, { status: 'ready' }])
  expect(metrics?.status).toBe(404)
  expect(health?.headers.get('strict-transport-security')).toBeNull()
})

test('an idle connection is kept longer than proxies and clients keep it, so that none meets its end', async () => {
  const { headers } = await fetch(`${service.url}/healthz`)
  const [, seconds] = /timeout=(\d+)/.exec(headers.get('keep-alive') ?? '') ?? []
  expect(Number(seconds)).toBeGreaterThan(60)
})

test('metrics count answers by operation and status, and name nobody', async () => {
  const counted = await startTestService({ PI_METRICS: 'on' })
  try {
    const { id } = (await (await create(counted)).json()) as { id: string }
    await create(counted, 'no json')
    const text = async () => await (await fetch(`${counted.url}/metrics`)).text()
    await expect.poll(text).toContain('pi_answers_total{operation="create",status="400"} 1')
    const shown = await text()
    expect(shown).toContain('pi_answers_total{operation="create",status="201"} 1')
    expect(shown).toContain('pi_answer_seconds_count{operation="create"} 2')
    expect(shown).toContain('process_resident_memory_bytes')
    expect(shown).not.toContain(id)
  } finally {
    await counted.stop()
  }
})

test('a switch that is neither on nor off is refused by name', () => {
  expect(() => readConfig({}, { PI_METRICS: 'yes' })).toThrow('PI_METRICS: must be on or off')
})
