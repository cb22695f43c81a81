import { fileURLToPath } from 'node:url'
import { leaveAtAnyByte } from '@pi-checkout/test-support/leaving-client'
import { type StartedProgram, startProgram } from '@pi-checkout/test-support/process'
import { afterAll, beforeAll, expect, test } from 'vitest'

const program = fileURLToPath(new URL('leaving-shop.ts', import.meta.url))

const frameworks = [
  'Express 5',
  'Express 5 after its JSON parser',
  'Express 4',
  'Express 4 after its JSON parser',
  'node:http',
  'Nest after its body parser',
  'Fastify after its body parser',
  'Koa',
  'Koa after its body parser',
]

const body = '{"orderId":"A-1001"}'
const head = `HTTP/1.1
Host: shop.example
Origin: https://shop.example
Content-Type: application/json
Connection: close
`
const requests = [
  `POST /checkout/handoff ${head}Content-Length: ${body.length}\n\n${body}`,
  `POST /checkout/handoff ${head}Transfer-Encoding: chunked\n\n7\n{"order\nd\nId":"A-1001"}\n0\n\n`,
  `GET /checkout/status?orderId=A-1001 ${head}\n`,
].map((lines) => lines.replaceAll('\n', '\r\n'))

let shops: StartedProgram
let ports: Readonly<Record<string, number>>

beforeAll(async () => {
  shops = await startProgram(['--import', 'tsx', '--conditions=source', program])
  ports = JSON.parse(shops.line)
}, 60_000)

afterAll(async () => void (await shops.stop()))

test.concurrent.each(frameworks)(
  'a shop in %s survives clients that leave at any byte',
  async (framework) => {
    const port = ports[framework] ?? 0
    const before = shops.log.length
    await serves(port)
    const end = await leaveAtAnyByte({ port, requests, serves: () => serves(port) }).catch(String)
    expect([end, shops.child.exitCode, shops.log.slice(before)]).toEqual([undefined, null, []])
  },
)

async function serves(port: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/checkout/handoff`, {
    method: 'POST',
    headers: { origin: 'https://shop.example', 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(30_000),
  })
  await response.text()
  if (response.status !== 200) throw new Error(`the shop returned ${response.status}`)
}
