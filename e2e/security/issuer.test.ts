import { payWith } from '@pi-checkout/element/testing'
import {
  challengePage,
  expectOrder,
  fillCard,
  hostedPage,
  openCheckout,
  orderOf,
  payButton,
} from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/cross-site-stack.ts'

test('a hostile issuer page moves, learns, and decides nothing', async ({
  page,
  stack,
  attacker: bank,
  pageErrors,
}) => {
  pageErrors.allow(/./)
  bank.respond = ({ method }) => ({ body: method === 'POST' ? hostileIssuer : '' })
  // With the path and the query, so that it receives all that the bank would.
  const hostile = (url: string): string => url.replace(stack.challengeOrigin, bank.origin)
  await page.route(`${stack.challengeOrigin}/**`, (route, request) =>
    route.continue({ url: hostile(request.url()) }),
  )
  const { clientSecret } = await openCheckout(page)
  const address = page.url()
  const order = orderOf(page)
  await fillCard(page, '4000 0000 0000 3220')
  await payButton(page).click()
  const issuer = challengePage(page)
  await expect(issuer.getByTestId('tried')).toHaveText(/^\d+ tries$/, { timeout: 20_000 })
  const tried = await issuer.locator('ul').textContent()

  expect(tried).not.toContain('MOVED')
  expect(page.url()).toBe(address)
  expect(page.context().pages()).toHaveLength(1)
  await expect(hostedPage(page).getByRole('button', { name: 'Use another card' })).toBeVisible()
  const status = await fetch(`${stack.nodeShop}/checkout/status?orderId=${order}`)
  expect(await status.text()).not.toContain('paid')
  const received = JSON.stringify(bank.requests)
  for (const canary of [clientSecret, stack.api.apiKey, '4000000000003220', 'Ani Test', order])
    expect(received).not.toContain(canary)
  // no-referrer: the issuer does not learn the address of the checkout.
  expect(bank.requests.map(({ headers }) => headers.referer).filter(Boolean)).toEqual([])
  // On a slow line, its messages end no request of the buyer.
  await page.route('**/checkout-api/challenge/cancel', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 700))
    await route.continue().catch(() => {})
  })
  await hostedPage(page).getByRole('button', { name: 'Use another card' }).click()
  await payWith(page, 'succeeded')
  await expectOrder(page, 'paid')
})

/** Everything that an issuer's page could try from inside its frame. */
const hostileIssuer = `<!doctype html><meta charset="utf-8"><title>Bank</title>
  <p data-testid="tried"></p><ul></ul><script>
  const attempts = {
    'top.location': () => { top.location = 'http://evil.localhost/' },
    'parent.location': () => { parent.location = 'http://evil.localhost/' },
    'top.document': () => { top.document.title = 'x'; throw new Error('MOVED') },
    'parent.document': () => { parent.document.title = 'x'; throw new Error('MOVED') },
    'window.open': () => { if (window.open('http://evil.localhost/')) throw new Error('MOVED') },
    '_top link': () => { const a = document.createElement('a'); a.href = 'http://evil.localhost/'; a.target = '_top'; document.body.append(a); a.click() },
    '_top form': () => { const f = document.createElement('form'); f.action = 'http://evil.localhost/'; f.target = '_top'; document.body.append(f); f.submit() },
    'flood': () => {
      for (let i = 0; i < 5000; i++) for (const target of [parent, top])
        target.postMessage(i % 2 ? { pi: 'challenge', t: 'done', status: 'succeeded' } : { pi: 'checkout', t: 'hello', v: [1], doc: 'A'.repeat(32) }, '*')
    },
    'repeated messages': () => { setInterval(() => parent.postMessage({ pi: 'challenge', t: 'done' }, '*'), 100) },
    'finish': () => { for (const t of ['ack', 'ready', 'finish', 'cancel', 'leave']) top.postMessage({ t }, '*') },
    'parent frames': () => { for (let i = 0; i < top.length; i++) top[i].location = 'http://evil.localhost/' },
  }
  let n = 0
  for (const [name, attempt] of Object.entries(attempts)) {
    let outcome = 'nothing'
    try { attempt() } catch (error) { outcome = error.message }
    const li = document.createElement('li'); li.textContent = name + ': ' + outcome; document.querySelector('ul').append(li); n++
  }
  document.querySelector('p').textContent = n + ' tries'
</script>`
