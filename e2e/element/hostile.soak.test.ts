import type { Frame, Page } from '@playwright/test'
import {
  eventsOf,
  expect,
  readyEvents,
  type SiteResponse,
  type Sites,
  test,
  waitForEvent,
  waitForState,
} from '../fixtures/element-sites.ts'

/** Sends malformed messages. Runs in the page; `port` is the session's, if it has one. */
const fuzzer = `
  function fuzz(send, count, seed) {
    const random = () => {
      seed = (seed * 1664525 + 1013904223) % 4294967296
      return seed / 4294967296
    }
    const pick = (list) => list[Math.floor(random() * list.length)]
    const junk = () => pick([
      undefined, null, NaN, -1, 0, 1.5, 5001, 1e308, -Infinity, 10n, '', 'x'.repeat(2000), '\\u0000',
      '<img src=x onerror=alert(1)>', 'javascript:alert(1)', [], [1, [2]], {}, new Date(0),
      new Map([['t', 'ready']]), new Error('x'), /x/, new Uint8Array(9), new Blob(['x']),
      { toString: 'ready' }, { t: { t: 'ready' } },
    ])
    const types = [
      'READY', ' ready', 'ready ', 'paid', 'init', 'auth', 'config', 'left', 'ping', '__proto__',
      'constructor', 'toString', 'hello!', ['ready'], { t: 'ready' }, 1, null, undefined, true,
    ]
    // 'size', 'busy' and 'fail' carry a value, which is junk here; 1 would be a valid height.
    const malformed = () => pick([
      junk,
      () => ({ t: pick(types), h: junk(), on: junk(), code: junk(), status: 'succeeded', url: '/x' }),
      () => ({ t: 'size', h: pick([-1, 0, 5001, NaN, '600', null, [600], {}, 10n]) }),
      () => ({ t: 'busy', on: pick([1, 0, 'true', null, [], {}]) }),
      () => ({ t: 'fail', code: pick([1, null, [], { code: 'unauthorized' }]) }),
      () => ({ pi: pick(['checkout', 'x', junk()]), t: pick(types), v: junk(), doc: junk() }),
      () => ({ pi: 'checkout', t: 'hello', v: pick([1, '1', { 0: 1 }, null]), doc: 'A'.repeat(32) }),
      () => ({ pi: 'checkout', t: 'hello', v: [1], doc: pick(['', 'short', 'A'.repeat(65), 'é'.repeat(32), 5]) }),
      () => ({ pi: 'checkout', t: 'hello', v: Array(17).fill(1), doc: 'A'.repeat(32) }),
    ])()
    for (let i = 0; i < count; i++) send(malformed())
  }`

/** A valid `hello` and each message of the port, for senders that may not send any. */
const forgery = `
  function forge(send) {
    send({ pi: 'checkout', t: 'hello', v: [1], doc: 'A'.repeat(32) })
    for (const t of ['ack', 'ready', 'leave', 'finish', 'cancel', 'pong']) send({ t })
    send({ t: 'fail', code: 'unauthorized' })
    send({ t: 'busy', on: true })
    send({ t: 'size', h: 4000 })
  }`

function hostedPage(): SiteResponse {
  return {
    body: `<!doctype html><html lang="en"><title>Hosted</title><main>Hosted</main><script>
      ${fuzzer}
      const doc = 'A'.repeat(32)
      parent.postMessage({ pi: 'checkout', t: 'hello', v: [1], doc }, '*')
      addEventListener('message', ({ data, ports: [port] }) => {
        if (data?.t !== 'init') return
        window.port = port
        port.postMessage({ t: 'ack' })
        port.postMessage({ t: 'ready' })
      })
    </script></html>`,
  }
}

async function expectNoChange(page: Page, sites: Sites): Promise<void> {
  // The element has handled the messages before this one.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))')
  expect(await eventsOf(page)).toEqual(readyEvents)
  await waitForState(page, 'ready')
  expect(await page.evaluate('pay.getBoundingClientRect().height')).toBe(532)
  expect(page.url()).toBe(`${sites.shop}/`)
  await expect(page.frameLocator('#pay iframe').getByText('Hosted')).toBeVisible()
  expect(sites.requests).toEqual(['/checkout/pi_1'])
}

test('ten thousand malformed messages from the frame change nothing (threat 48)', async ({
  page,
  sites,
}) => {
  await sites.openShop({ hosted: hostedPage })
  await waitForEvent(page, 'pi-ready')
  const frame = page.frames()[1] as Frame
  for (const [channel, seed] of [
    ['port.postMessage(message)', 1],
    ["parent.postMessage(message, '*')", 2],
  ] as const) {
    await frame.evaluate(`fuzz((message) => ${channel}, 5000, ${seed})`)
  }
  await expectNoChange(page, sites)
  await frame.evaluate("port.postMessage({ t: 'finish' })")
  await waitForEvent(page, 'pi-finish')
})

test('ten thousand messages from a sibling frame change nothing (threat 46)', async ({
  page,
  sites,
}) => {
  sites.serveAttacker(() => ({
    body: `<!doctype html><html lang="en"><title>Attacker</title><main>Attacker</main><script>
      ${fuzzer}${forgery}
      const send = (message) => {
        parent.postMessage(message, '*')
        for (let i = 0; i < parent.length; i++) parent[i].postMessage(message, '*')
      }</script></html>`,
  }))
  await sites.openShop({
    hosted: hostedPage,
    body: '<pi-checkout id="pay"></pi-checkout><iframe id="attacker" title="Attacker"></iframe>',
  })
  await waitForEvent(page, 'pi-ready')
  await page.evaluate(`attacker.src = '${sites.attacker}'`)
  const attacker = page.frameLocator('#attacker').getByText('Attacker')
  await attacker.evaluate('forge(send); fuzz(send, 10000, 3)')
  await expectNoChange(page, sites)
})
