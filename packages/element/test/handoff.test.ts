import { expect, test } from 'vitest'
import {
  clickInFrame,
  configure,
  eventsOf,
  readyEvents,
  setValues,
  startSites,
  textInFrame,
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

test.each([
  ['fetchHandoff', fetching(`[${one}]`)],
  ['fetchHandoff before the definition', `${fetching(`[${one}]`)}; await 0`],
  ['handoff', `pay.handoff = ${one}`],
])('mounts the hosted page from %s', async (name, script) => {
  const parts = [configure, script]
  if (name.includes('before')) parts.reverse()
  // An import is hoisted: the copy that is loaded later has to be imported dynamically.
  const content = parts
    .join(';')
    .replace(/import (\{.+\}) from ('.+')/, 'const $1 = await import($2)')
  const page = await sites.openShop({ script: content })
  await waitForEvent(page, 'pi-ready')
  expect(await eventsOf(page)).toEqual(readyEvents)
  expect(sites.requests).toEqual(['/checkout/pi_1'])
  expect(await textInFrame(page, 'secret')).toBe('yes')
  expect(await page.evaluate('[pay.handoff, pay.intentId]')).toEqual([null, 'pi_1'])
  expect(await page.content()).not.toContain('pi_1_secret_x')
})

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

test.each([
  ['a rejection', "new Error('The order is paid')", 'Error: The order is paid'],
  ['nothing', 'undefined', 'TypeError: handoff: must have id and clientSecret'],
  ['no secret', "{ id: 'pi_1' }", 'TypeError: handoff: must have id and clientSecret'],
  [
    'empty values',
    "{ id: '', clientSecret: '' }",
    'TypeError: handoff: must have id and clientSecret',
  ],
  [
    'a secret API key',
    "{ id: 'pi_1', clientSecret: 'pi_sk_test_x' }",
    'TypeError: clientSecret: must not be a secret API key. Pass the clientSecret of a handoff',
  ],
])('reports handoff_failed for %s, and tries again on the button', async (_, result, cause) => {
  const page = await sites.openShop({ script: `${configure}; ${fetching(`[${result}]`)}` })
  await waitForEvent(page, 'pi-error handoff_failed')
  expect(await page.evaluate('String(pay.error.cause)')).toBe(cause)
  expect(sites.helpMessages).toEqual([
    `error: pi-checkout: handoff_failed. fetchHandoff failed: ${cause}`,
  ])
  expect(await page.evaluate(callCount)).toBe(1)
  await page.evaluate(`results.push(${one})`)
  await page.getByRole('button', { name: 'Try again' }).click()
  await waitForEvent(page, 'pi-ready')
  expect(await page.evaluate(callCount)).toBe(2)
})

test('another function starts no request, and reload() mounts the same handoff', async () => {
  const page = await sites.openShop({ script: `${configure}; ${fetching(`[${one}, ${two}]`)}` })
  await waitForEvent(page, 'pi-ready')
  await page.evaluate(
    '{ const before = pay.fetchHandoff; pay.fetchHandoff = (...all) => before(...all) }',
  )
  await page.evaluate('pay.reload()')
  await expect.poll(() => eventsOf(page)).toEqual([...readyEvents, ...readyEvents])
  expect(await page.evaluate(callCount)).toBe(1)
  await setValues(page, { handoff: null })
  await expect.poll(() => sites.requests.at(-1)).toBe('/checkout/pi_2')
})

test('warns once per page about a property that it does not have', async () => {
  const warning =
    'warning: pi-checkout: unknown property clientsecret. The properties are: fetchHandoff, handoff, intentId, clientSecret, label, locale'
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
