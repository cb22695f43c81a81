import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, expect, test, vi } from 'vitest'
import { created, order, startTestService } from '../support/service.ts'

const service = await startTestService()
const { id } = await created(service, order)
const { host, port } = new URL(service.url)
afterAll(() => void vi.useRealTimers())

function request(head: string, body = ''): string {
  const fields = `Host: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  return `${head.replace('\n', ` HTTP/1.1\r\n${fields}\r\n`)}\r\n\r\n${body}`
}

function openSession(id: string): string {
  const body = { id, clientSecret: 'wrong', origin: 'http://localhost:3000' }
  return request(`POST /checkout-api/session\nOrigin: ${service.url}`, JSON.stringify(body))
}

test('rejects clients without credentials at a limited rate, and serves others meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  const received: string[] = []
  const statuses = (): string[] =>
    received.flatMap((text) => text.match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? [])
  const send = async (text: string): Promise<void> => {
    const socket = connect({ port: Number(port), host: '127.0.0.1' }).setEncoding('latin1')
    await once(socket, 'connect')
    const at = received.push('') - 1
    socket.on('data', (part: string) => {
      received[at] += part
    })
    socket.write(text)
  }
  const rejected = [
    openSession(id),
    openSession(`pi_${'0'.repeat(24)}`),
    openSession('malformed'),
    request(`GET /payment-intents/${id}\nAuthorization: Bearer wrong`),
    request(`POST /checkout/${id}\nOrigin: http://localhost:3000`),
  ]
  for (const each of rejected) await send(each.repeat(30))
  while (statuses().length < 50) await nextTurn()
  await send(
    request(
      `POST /payment-intents\nAuthorization: Bearer ${service.apiKey}`,
      JSON.stringify(order),
    ),
  )
  while (!statuses().includes('201')) await nextTurn()
  expect(statuses()).toHaveLength(51)
  while (statuses().length < 151) {
    vi.advanceTimersByTime(2)
    await nextTurn()
  }
  expect(new Set(statuses())).toEqual(new Set(['404', '400', '401', '201']))
})
