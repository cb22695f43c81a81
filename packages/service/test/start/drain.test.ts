import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { newSecretKeys } from '../../src/secret-keys.ts'
import { atEnd, startPostgres } from '../support/lifetime.ts'
import { order, startProcess } from '../support/service.ts'

const server = await startPostgres()
const PI_SECRET_KEYS = newSecretKeys()

async function startInstance(PI_DRAIN_MS: string) {
  return await startProcess(['--database-url', server.url], { PI_SECRET_KEYS, PI_DRAIN_MS })
}

const first = await startInstance('2000')
const { apiKey } = first

/** Creates an intent. Returns the HTTP status and whether the connection stays open. */
async function create(url: string, agent: Agent): Promise<string> {
  const sent = request(`${url}/payment-intents`, {
    ...{ agent, method: 'POST' },
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
  })
  sent.end(JSON.stringify(order))
  const [response] = await once(sent, 'response')
  await once(response.resume(), 'end')
  return `${response.statusCode} ${response.headers.connection}`
}

function oneConnection(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  atEnd(() => agent.destroy())
  return agent
}

test('serves requests during the drain and reports that it is not ready', async () => {
  const { url, child } = first
  const agent = oneConnection()
  for (let count = 0; count < 20; count++) expect(await create(url, agent)).toBe('201 keep-alive')

  child.kill('SIGTERM')
  const stoppedAt = performance.now()
  const exited = once(child, 'exit')
  const responses: string[] = []
  while (performance.now() - stoppedAt < 1200) responses.push(await create(url, agent))
  // The signal arrives while the first requests are running.
  expect(new Set(responses.slice(20))).toEqual(new Set(['201 close']))
  const ready = await fetch(`${url}/readyz`)
  expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close'])

  expect(await exited).toEqual([0, null])
  const seconds = (performance.now() - stoppedAt) / 1000
  expect(seconds).toBeGreaterThan(2)
  expect(seconds).toBeLessThan(12)
})

test('fails no request in a rolling restart behind a balancer', async () => {
  const start = async () => await startInstance('1000')
  const instances = await Promise.all([start(), start(), start()])
  // A balancer that checks each instance every 200 ms.
  const ready = new Set(instances.map(({ url }) => url))
  let checking = true
  const check = async (): Promise<void> => {
    for (; checking; await sleep(200)) {
      for (const { url } of instances) {
        const isReady = await fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        )
        if (isReady) ready.add(url)
        else ready.delete(url)
      }
    }
  }
  const statuses = new Map<string, number>()
  const send = async (): Promise<void> => {
    const agents = new Map<string, Agent>()
    for (let turn = 0; checking; turn++) {
      const url = [...ready][turn % ready.size] ?? ''
      const agent = agents.get(url) ?? oneConnection()
      agents.set(url, agent)
      const result = await create(url, agent).catch(String)
      const status = result.replace(/ .*/, '')
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const running = [check(), send(), send(), send(), send()]
  for (const [index, instance] of instances.entries()) {
    await instance.stop()
    instances[index] = await start()
    await expect.poll(() => ready.size, { timeout: 5000 }).toBe(3)
  }
  checking = false
  await Promise.all(running)
  expect([...statuses.keys()]).toEqual(['201'])
})
