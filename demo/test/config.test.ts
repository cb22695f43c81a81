import { expect, test } from 'vitest'
import { readConfig } from '../server/config.ts'

const env = {
  PI_CHECKOUT_ORIGIN: 'http://127.0.0.1:4000',
  PI_HANDOFF_KEYS: `k1:${Buffer.alloc(32, 'key of the tests').toString('base64url')}`,
}

test('the usual shop takes port 3000, its own address and the folder of the repository', () => {
  expect(readConfig(env)).toMatchObject({ port: 3000, shopOrigin: undefined, development: true })
  expect(readConfig(env).data).toMatch(/\.data\/shop$/)
})

test('in production there are no tools, whatever else is set', () => {
  const config = readConfig({
    ...env,
    NODE_ENV: 'production',
    PI_ADMIN_TOKEN: 'x',
    PI_BASE_URL: 'http://127.0.0.1:4000',
  })
  expect(config).toMatchObject({ development: false, sandbox: undefined })
})

test('a missing or malformed variable is named, with its rule and the way to mend it', () => {
  for (const [name, value, text] of [
    ['PI_CHECKOUT_ORIGIN', '', /PI_CHECKOUT_ORIGIN: is missing.*pi-service start/],
    ['PI_CHECKOUT_ORIGIN', 'http://pay.example', /PI_CHECKOUT_ORIGIN.*https/],
    ['PI_CHECKOUT_ORIGIN', 'https://pay.example/checkout', /PI_CHECKOUT_ORIGIN.*no path/],
    ['PI_CHECKOUT_ORIGIN', 'https://user:word@pay.example', /PI_CHECKOUT_ORIGIN.*no path, user/],
    ['PI_CHECKOUT_ORIGIN', 'https://*.pay.example', /PI_CHECKOUT_ORIGIN.*must be an origin/],
    ['PI_CHECKOUT_ORIGIN', 'https://pay.example;script-src', /PI_CHECKOUT_ORIGIN.*must be/],
    ['SHOP_ORIGIN', 'https://shop.example,evil', /SHOP_ORIGIN.*must be an origin/],
    ['SHOP_ORIGIN', 'https://Shop.example', /SHOP_ORIGIN.*lower case/],
    ['SHOP_ORIGIN', 'https://shop.example:443', /SHOP_ORIGIN.*usual port/],
    ['PI_HANDOFF_KEYS', '', /PI_HANDOFF_KEYS: is missing.*Make one/],
    ['PI_HANDOFF_KEYS', 'a passphrase', /PI_HANDOFF_KEYS.*Make one/],
    ['SHOP_ORIGIN', 'ftp://shop.example', /SHOP_ORIGIN.*https/],
    ['SHOP_ORIGIN', 'shop', /SHOP_ORIGIN: must be an origin/],
    ['PORT', 'eighty', /PORT.*65535/],
    ['PORT', '70000', /PORT.*65535/],
  ] as const) {
    expect(() => readConfig({ ...env, [name]: value }), `${name}=${value}`).toThrow(text)
  }
})
