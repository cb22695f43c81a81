import { expect, test } from 'vitest'
import { readConfig } from '../src/config.ts'
import { create, startTestService } from './support/service.ts'

test('a running service is healthy and ready, and shows metrics only when asked for', async () => {
  const service = await startTestService()
  try {
    const [health, ready, metrics] = await Promise.all(
      ['/healthz', '/readyz', '/metrics'].map(async (path) => await fetch(service.url + path)),
    )
    expect([health?.status, await health?.json()]).toEqual([200, { status: 'ok' }])
    expect([ready?.status, await ready?.json()]).toEqual([200, { status: 'ready' }])
    expect(metrics?.status).toBe(404)
  } finally {
    await service.stop()
  }
})

test('an idle connection is kept longer than proxies and clients keep it, so that none meets its end', async () => {
  const service = await startTestService()
  const { headers } = await fetch(`${service.url}/healthz`)
  const [, seconds] = /timeout=(\d+)/.exec(headers.get('keep-alive') ?? '') ?? []
  expect(Number(seconds)).toBeGreaterThan(60)
  await service.stop()
})

test('metrics count answers by operation and status, and name nobody', async () => {
  const service = await startTestService({ PI_METRICS: 'on' })
  try {
    const { id } = (await (await create(service)).json()) as { id: string }
    await create(service, 'no json')
    const text = async () => await (await fetch(`${service.url}/metrics`)).text()
    await expect.poll(text).toContain('pi_answers_total{operation="create",status="400"} 1')
    const shown = await text()
    expect(shown).toContain('pi_answers_total{operation="create",status="201"} 1')
    expect(shown).toContain('pi_answer_seconds_count{operation="create"} 2')
    expect(shown).toContain('process_resident_memory_bytes')
    expect(shown).not.toContain(id)
  } finally {
    await service.stop()
  }
})

test('a switch that is neither on nor off is refused by name', () => {
  expect(() => readConfig({}, { PI_METRICS: 'yes' })).toThrow('PI_METRICS: must be on or off')
})
