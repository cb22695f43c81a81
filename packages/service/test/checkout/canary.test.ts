import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sampleKey } from '@pi-checkout/test-support/api-key'
import { cardOf, HostedPage } from '@pi-checkout/test-support/http-buyer'
import { expect, test } from 'vitest'
import { answer, enter } from '../support/bank.ts'
import { connectTo, startPostgres } from '../support/lifetime.ts'
import { Merchant, order, startTestService } from '../support/service.ts'

const listed = '4000000000003220'
const unlisted = '4111111111111111'
const cvc = '8193'

test('writes no secret to PostgreSQL, its files, or a log', async () => {
  const server = await startPostgres()
  const service = await startTestService({ ...server.env, PI_LOG_LEVEL: 'info' })
  const { apiKey, ready } = service
  const wrongKey = sampleKey('w')
  const key = { 'idempotency-key': 'canary-of-an-idempotency-key' }
  const { id, clientSecret } = await service.created(order, key)
  await service.create(order, key)
  await service.create({ ...order, amount: 1 }, key)
  await service.create(`{"card":"${unlisted}`)
  await new Merchant({ ...service, apiKey: wrongKey }).create()
  await service.retrieve(`${id}?api_key=${apiKey}`)
  await service.retrieve(clientSecret)

  const client = new HostedPage(service)
  await client.open({ id, clientSecret })
  const responses: string[] = []
  for (const number of [unlisted, '4000000000000002', listed]) {
    const { version } = await client.view()
    const paymentMethod = cardOf(number, cvc)
    const confirmationId = `attempt-${number.slice(-4)}-of-the-canary`
    for (const body of [
      `{"broken": ${number}`,
      { confirmationId, version: 999, paymentMethod },
      { paymentMethod },
      { confirmationId, version, paymentMethod },
    ]) {
      responses.push(await (await client.post('confirm', body)).text())
    }
  }
  const ticket = await client.openChallenge()
  const token = await enter(ticket)
  await answer(ticket, token, '1234')
  responses.push(JSON.stringify(await client.view()))
  expect(responses.at(-1)).toContain('"status":"succeeded"')

  const operator = await connectTo(server.url)
  const { rows } = await operator.query("select current_setting('data_directory') as data")
  const data = String(rows[0].data)
  await operator.query('checkpoint')
  const { stdout: dump } = await promisify(execFile)(join(server.binaries, 'pg_dump'), [server.url])
  await service.stop()
  // The search is worth something only if it finds what is there.
  expect(dump).toContain(id)
  const log = await filesIn(join(data, 'pg_wal'))
  expect(log.some((file) => file.includes(id))).toBe(true)

  const places = [dump, ...(await filesIn(data)), service.logged.join(''), ...responses]
  const { PI_SECRET_KEY } = server.env
  const keys = [PI_SECRET_KEY, apiKey, wrongKey, ready.adminToken, key['idempotency-key']]
  const tokens = [clientSecret, client.token, ticket.token, token]
  for (const secret of [...keys, ...tokens, listed, unlisted]) {
    expect(secret.length).toBeGreaterThan(12)
    const encoded = Buffer.from(secret).toString('base64').replace(/=+$/, '')
    for (const form of [secret, encoded, Buffer.from(secret, 'base64url')]) {
      expect(places.filter((place) => place.includes(form as string))).toHaveLength(0)
    }
  }
  // Many files contain the four digits of the code at random, but never next to its name.
  for (const place of places) {
    expect(place.includes('"cvc"')).toBe(false)
    if (typeof place === 'string') expect(place).not.toMatch(new RegExp(`(?<![\\w.])${cvc}(?!\\w)`))
  }
})

async function filesIn(directory: string): Promise<Buffer[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  // Without the templates, from which other databases are created.
  const files = entries.filter((entry) => entry.isFile() && !/base\/[14]$/.test(entry.parentPath))
  return await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name))))
}
