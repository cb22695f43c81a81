import { type AddressInfo, Server as NetServer } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startTestService } from '../support/service.ts'

const service = await startTestService()

test('keeps an idle connection longer than proxies and clients do', async () => {
  const { headers } = await fetch(`${service.url}/healthz`)
  const [, seconds] = /timeout=(\d+)/.exec(headers.get('keep-alive') ?? '') ?? []
  expect(Number(seconds)).toBeGreaterThan(60)
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
