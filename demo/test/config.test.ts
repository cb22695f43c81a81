import { expect, test } from 'vitest'
import { readConfig } from '../server/config.ts'

const env = { PI_CHECKOUT_ORIGIN: 'http://127.0.0.1:4000' }

test('links the inspector of a local service, and not in production', () => {
  expect(readConfig(env).inspectorUrl).toBe('http://127.0.0.1:4000/_sandbox/')
  expect(readConfig({ ...env, NODE_ENV: 'production' }).inspectorUrl).toBeUndefined()
  const remote = { PI_CHECKOUT_ORIGIN: 'https://pay.example' }
  expect(readConfig(remote).inspectorUrl).toBeUndefined()
})

test.each([
  ['PI_CHECKOUT_ORIGIN', '', 'environment variable is not set', 'pi-service start'],
  ['PORT', 'eighty', 'must be a number', '65535'],
  ['PORT', '70000', 'must be a number', '65535'],
])('rejects %s=%s with rule and fix', (name, value, rule, fix) => {
  const read = (): unknown => readConfig({ ...env, [name]: value })
  expect(read).toThrow(`${name}: ${rule}`)
  expect(read).toThrow(fix)
})
