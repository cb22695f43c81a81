import { expect, test } from 'vitest'
import { readConfig } from '../server/config.ts'

const env = {
  PI_CHECKOUT_ORIGIN: 'http://127.0.0.1:4000',
}

test('the usual shop takes port 3000, its own address and the folder of the repository', () => {
  expect(readConfig(env)).toMatchObject({ port: 3000, shopOrigin: undefined, reconcileMs: 60_000 })
  expect(readConfig(env).data).toMatch(/\.data\/shop$/)
})

test('links the inspector of a local service, and not in production', () => {
  expect(readConfig(env).inspectorUrl).toBe('http://127.0.0.1:4000/_sandbox/')
  expect(readConfig({ ...env, NODE_ENV: 'production' }).inspectorUrl).toBeUndefined()
  const remote = { PI_CHECKOUT_ORIGIN: 'https://pay.example' }
  expect(readConfig(remote).inspectorUrl).toBeUndefined()
})

test.each([
  ['PI_CHECKOUT_ORIGIN', '', 'environment variable is not set', 'pi-service start'],
  ...[
    ['PI_CHECKOUT_ORIGIN', 'http://pay.example'],
    ['PI_CHECKOUT_ORIGIN', 'https://pay.example/checkout'],
    ['PI_CHECKOUT_ORIGIN', 'https://user:word@pay.example'],
    ['PI_CHECKOUT_ORIGIN', 'https://*.pay.example'],
    ['PI_CHECKOUT_ORIGIN', 'https://pay.example;script-src'],
    ['SHOP_ORIGIN', 'https://shop.example,evil'],
    ['SHOP_ORIGIN', 'https://Shop.example'],
    ['SHOP_ORIGIN', 'https://shop.example:443'],
    ['SHOP_ORIGIN', 'ftp://shop.example'],
    ['SHOP_ORIGIN', 'shop'],
  ].map((entry) => [...entry, 'must be a lowercase https origin', 'such as https://shop.example']),
  ['PORT', 'eighty', 'must be a number', '65535'],
  ['PORT', '70000', 'must be a number', '65535'],
  ['PI_RECONCILE_MS', '5 s', 'must be a number of milliseconds', 'from 100'],
])('rejects %s=%s with rule and fix', (name = '', value = '', rule = '', fix = '') => {
  const read = (): unknown => readConfig({ ...env, [name]: value })
  expect(read).toThrow(`${name}: ${rule}`)
  expect(read).toThrow(fix)
})
