import { expect, test } from 'vitest'
import {
  clickInFrame,
  configure,
  eventsOf,
  readyEvents,
  startSites,
  waitForEvent,
} from './support/sites.ts'

const sites = startSites()

/** Sets a `fetchHandoff` that counts its calls. `results` is an array of handoffs and errors, one for each call. */
const fetching = (results: string): string => `
  window.calls = []
  window.results = ${results}
  pay.fetchHandoff = async ({ signal }) => {
    calls.push(signal)
    const result = results[calls.length - 1] ?? results.at(-1)
    if (result instanceof Error) throw result
    return result
  }`
const one = "{ id: 'pi_1', clientSecret: 'pi_1_secret_x', replayed: true }"
const two = "{ id: 'pi_2', clientSecret: 'pi_2_secret_y' }"
const callCount = 'window.calls.length'

test('calls fetchHandoff once more after unauthorized, then reports it', async () => {
  const page = await sites.openShop({
    script: `${configure}; ${fetching(`[${one}, ${two}]`)}`,
    hosted: { steps: [{ fail: 'unauthorized' }] },
  })
  await waitForEvent(page, 'pi-error unauthorized')
  expect(sites.requests).toEqual(['/checkout/pi_1', '/checkout/pi_2'])
  expect(await page.evaluate(callCount)).toBe(2)
  expect(await eventsOf(page)).toEqual([
    'pi-statechange loading',
    'pi-statechange error',
    'pi-error unauthorized',
  ])
  // Each of these allows one more call. A reload begins with one.
  for (const [act, calls] of [
    ['pay.reload()', 4],
    ["void document.querySelector('main').append(pay)", 5],
    [`pay.handoff = ${one}`, 6],
  ] as const) {
    await page.evaluate(act)
    await expect.poll(() => page.evaluate(`${callCount} + pay.state`)).toBe(`${calls}error`)
  }
})

test('renews a handoff each time after the form was usable, and reports one pi-finish each', async () => {
  const page = await sites.openShop({
    script: `${configure}; ${fetching(`[${one}, ${one}, ${two}]`)}`,
    hosted: { steps: ['ready', 'finish'] },
  })
  const expected: string[] = []
  for (const report of [['pi-finish'], [], ['pi-finish']]) {
    expected.push(...readyEvents, 'pi-statechange finished', ...report)
    await expect.poll(() => eventsOf(page)).toEqual(expected)
    await clickInFrame(page, 'fail-unauthorized')
  }
  await expect.poll(() => sites.requests.length).toBe(4)
  expect(sites.requests.slice(0, 3)).toEqual(['/checkout/pi_1', '/checkout/pi_1', '/checkout/pi_2'])
})

test('warns once per page about a property that it does not have', async () => {
  const warning =
    'warning: pi-checkout: unknown property clientsecret. The properties are: fetchHandoff, handoff, intentId, clientSecret, label, locale, appearance'
  sites.expectedMessages.push(/unknown property/)
  const lines: string[] = []
  const page = await sites.openShop({
    body: '<pi-checkout id="pay"></pi-checkout><pi-checkout id="other"></pi-checkout>',
    script: `${configure}
      Object.assign(pay, { clientsecret: 'x', __framework: 1, jQuery351: 1 })
      Object.assign(other, { secret: 'x' })`,
    prepare: (opened) =>
      opened.on('console', (message) => lines.push(`${message.type()}: ${message.text()}`)),
  })
  await page.waitForTimeout(1500)
  expect(lines).toEqual([warning])
})
