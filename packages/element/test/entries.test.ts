import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { PiEvent } from '../src/events.ts'

const run = promisify(execFile)
const cwd = fileURLToPath(new URL('..', import.meta.url))

test('every entry imports in plain Node, silently, and only ./define registers the tag', async () => {
  const script = `
    import { PiCheckout } from '@pi-checkout/element'
    import '@pi-checkout/element/testing'
    const before = globalThis.customElements?.get('pi-checkout')
    await import('@pi-checkout/element/define')
    console.log(before === undefined, customElements.get('pi-checkout') === PiCheckout)`
  const { stdout, stderr } = await run(
    process.execPath,
    ['--import', 'tsx', '--conditions=source', '--input-type=module', '--eval', script],
    { cwd, env: { ...process.env, NODE_ENV: 'production' } },
  )
  expect([stdout, stderr]).toEqual(['true true\n', ''])
})

test('an event for unit tests is what the element dispatches', () => {
  const event = new PiEvent('pi-finish', { intentId: 'pi_1' })
  expect(event).toMatchObject({ type: 'pi-finish', intentId: 'pi_1' })
  expect([event.bubbles, event.composed, event.cancelable]).toEqual([true, true, false])
})
