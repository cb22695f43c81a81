import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ChallengeTicket } from '../../src/checkout/display-view.ts'
import { PageClient, startCheckout } from './support.ts'

const shop = 'http://shop.example.localhost:3000'
const listed = '4000000000003220'
const unlisted = '4111111111111111'

test('no card number, secret or token reaches a file, the log of writes included, or a log line', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pi-canary-'))
  const checkout = await startCheckout({ directory })
  await checkout.registerOrigin(shop)
  const pair = await checkout.createIntent()
  const client = new PageClient(checkout)
  await client.open(pair, shop)
  const answers: string[] = []
  for (const number of [unlisted, '4000000000000002', listed]) {
    answers.push(await (await client.pay(number)).text())
  }
  const opened = await client.post('challenge/open', {})
  const ticket = (await opened.json()) as ChallengeTicket
  const form = new URLSearchParams({ token: ticket.token })
  const html = await (await fetch(ticket.url, { method: 'POST', body: form })).text()
  const token = /name="token" value="([\w-]{43})"/.exec(html)?.[1] ?? ''
  const answer = new URLSearchParams({ token, code: '1234', action: 'confirm' })
  await fetch(`${ticket.url}/answer`, { method: 'POST', body: answer })
  answers.push(JSON.stringify(await client.view()))
  expect(answers.at(-1)).toContain('"status":"succeeded"')
  await checkout.close()

  const canaries = [listed, unlisted, pair.clientSecret, client.token, ticket.token, token].flatMap(
    (secret) => [secret, Buffer.from(secret).toString('base64').replace(/=+$/, '')],
  )
  const files = await filesIn(directory)
  expect(files.length).toBeGreaterThan(100)
  const places = [...files, checkout.logged.join(''), answers.join('')]
  for (const canary of canaries) {
    expect(places.filter((place) => place.includes(canary))).toHaveLength(0)
  }
  // The search is worth something only if it finds what is there.
  expect(files.some((file) => file.includes(pair.id))).toBe(true)
  await rm(directory, { recursive: true })
})

async function filesIn(directory: string): Promise<Buffer[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name))))
}
