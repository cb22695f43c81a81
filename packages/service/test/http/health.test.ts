import { type AddressInfo, Server as NetServer } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { create, created, startTestService } from '../support/service.ts'

const service = await startTestService()

test('keeps an idle connection longer than proxies and clients do', async () => {
  const { headers } = await fetch(`${service.url}/healthz`)
  const [, seconds] = /timeout=(\d+)/.exec(headers.get('keep-alive') ?? '') ?? []
  expect(Number(seconds)).toBeGreaterThan(60)
})

test('counts responses by operation and status, without ids', async () => {
  const counted = await startTestService({ PI_METRICS: 'on' })
  const { id } = await created(counted)
  await create(counted, 'no json')
  const text = async () => await (await fetch(`${counted.url}/metrics`)).text()
  await expect.poll(text).toContain('pi_http_responses_total{operation="create",status="400"} 1')
  const shown = await text()
  expect(shown).toContain('pi_http_responses_total{operation="create",status="201"} 1')
  expect(shown).toContain('pi_http_response_seconds_count{operation="create"} 2')
  expect(shown).toContain('process_resident_memory_bytes')
  expect(shown).not.toContain(id)
})

test('responds from the first moment that a port is open', async () => {
  const early: Promise<Response>[] = []
  const { listen } = NetServer.prototype
  const spy = vi.spyOn(NetServer.prototype, 'listen').mockImplementation(function (
    this: NetServer,
    ...args
  ) {
    this.once('listening', () => {
      const { port } = this.address() as AddressInfo
      early.push(fetch(`http://127.0.0.1:${port}/healthz`))
    })
    return listen.apply(this, args)
  })
  onTestFinished(() => spy.mockRestore())
  await startTestService()
  expect((await Promise.all(early)).map(({ status }) => status)).toEqual([200, 404])
})
