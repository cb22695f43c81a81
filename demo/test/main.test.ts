import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { demoShop, runProgram } from '@pi-checkout/test-support/process'
import { control } from '@pi-checkout/test-support/sandbox'
import {
  type Program,
  type ServiceReady,
  startService,
  startShop,
  variablesOf,
} from '@pi-checkout/test-support/stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../server/database.ts'
import { findOrder } from '../server/orders.ts'
import { Buyer } from './buyer.ts'
import { makeDue } from './shop.ts'

let service: Program<ServiceReady>
let data: string
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  service = await startService(['--memory'])
  data = await mkdtemp(join(tmpdir(), 'shop-main-'))
  env = { ...variablesOf(service.ready), PORT: '0', PI_SHOP_DATA: data }
})
afterAll(async () => {
  await service.stop()
  await rm(data, { recursive: true, force: true })
})

test('keeps orders and sessions through a restart, and settles payments at its start', async () => {
  const first = await startShop(env)
  const { shopUrl } = first.ready
  const buyer = await new Buyer(shopUrl).visit()
  await buyer.put('thyme-tea', 3)
  const orderId = await buyer.placeOrder()
  const { id } = await buyer.handoff(orderId)
  for (const name of await readdir(data)) {
    expect([name, (await stat(join(data, name))).mode & 0o077]).toEqual([name, 0])
  }
  expect(await first.stop()).toBe(0)

  await control({ api: service.ready }, `/intents/${id}/settle`, { outcome: 'succeeded' })
  const db = openDatabase(data)
  makeDue(db)
  db.close()
  const second = await startShop({ ...env, PORT: new URL(shopUrl).port })
  const stored = openDatabase(data)
  await expect.poll(() => findOrder(stored, orderId)?.paidBy).toBe(id)
  stored.close()
  expect((await buyer.order(orderId)).state).toBe('paid')
  await second.stop()
})

test('prints the login of the staff: a new password for each start, and none that was set', async () => {
  const passwordOf = async (variables: NodeJS.ProcessEnv): Promise<string | undefined> => {
    const { line, stop } = await startShop({ ...env, ...variables })
    await stop()
    const { staff } = JSON.parse(line)
    expect(staff).toMatchObject({ url: expect.stringMatching(/\/staff$/), user: 'staff' })
    return staff.password
  }
  const passwords = [await passwordOf({}), await passwordOf({})]
  expect(new Set(passwords).size).toBe(2)
  for (const password of passwords) expect(password).toMatch(/^[\w-]{12}$/)
  expect(await passwordOf({ PI_SHOP_STAFF_PASSWORD: 'known' })).toBeUndefined()
})

test('exits without a key, with the fix', async () => {
  const { code, errors } = await runProgram([demoShop], { env: { ...env, PI_API_KEY: '' } })
  expect(code).toBe(1)
  expect(errors).toMatch(/^The shop could not start. PI_API_KEY: .*pi-service exec/)
  expect(errors).not.toContain('    at ')
})
