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
import { startEvilSite } from '../fixtures/evil.ts'
import { expect, startHostileWorld, test } from '../fixtures/hostile-world.ts'

test('a hostile issuer page moves neither shop nor checkout, opens no window, learns ids only and decides nothing (threat 61)', async ({
  page,
  context,
  noise,
}) => {
  // It starts a house of its own.
  test.setTimeout(150_000)
  noise.allow(/./)
  const bank = await startEvilSite()
  bank.serve('/*', ({ method }) => ({
    body: method === 'POST' ? hostileIssuer : '',
  }))
  const world = await startHostileWorld({ bank: `http://bank.localhost:${bank.port}` })
  const goto = page.goto.bind(page)
  page.goto = (url, options) => goto(new URL(url, world.shopUrl).href, options)
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
  expect(context.pages()).toHaveLength(1)
  await expect(
    hostedPage(page).getByRole('heading', { name: 'Confirm with your bank' }),
  ).toBeVisible()
  const status = await page.request.get(`${world.nodeShop}/checkout/status?orderId=${order}`)
  expect(await status.text()).not.toContain('paid')
  const bankHeard = JSON.stringify(bank.inbox)
  for (const canary of [clientSecret, world.api.apiKey, '4000000000003220', 'Ani Petrosyan', order])
    expect(bankHeard).not.toContain(canary)
  // no-referrer: it does not even learn which checkout it stands in.
  expect(bank.inbox.map(({ headers }) => headers.referer).filter(Boolean)).toEqual([])
  await hostedPage(page).getByRole('button', { name: 'Use another card' }).click()
  await payWith(page, 'success')
  await expectOrder(page, 'paid')
  await world.stop()
  await bank.stop()
})

test('forged results wake the checkout at most: only the code at the bank settles the challenge (threat 62)', async ({
  page,
  world,
  noise,
}) => {
  noise.allow(/./)
  await openCheckout(page)
  await fillCard(page, '4000 0000 0000 3220')
  await payButton(page).click()
  await expect(challengePage(page).getByLabel('Code')).toBeVisible()
  // From the shop's own page, from the hosted page itself, and from the bank's frame.
  const forge = () => {
    for (const target of [window, window.parent, ...Array.from(window.frames)]) {
      for (const data of [
        { pi: 'challenge', t: 'done' },
        { pi: 'challenge', t: 'done', result: 'passed', status: 'succeeded' },
        { t: 'finish' },
      ]) {
        target.postMessage(data, '*')
      }
    }
  }
  // Not the long poll, which has a query: a look for its own sake.
  const looked = page.waitForResponse((answer) => answer.url().endsWith('/checkout-api/intent'))
  for (const frame of page.frames()) await frame.evaluate(forge)
  await looked
  const bank = `http://127.0.0.1:${new URL(world.challengeOrigin).port}`
  const answer = (token: string): Promise<Response> =>
    fetch(`${bank}/challenge/answer`, {
      method: 'POST',
      body: new URLSearchParams({ token, code: '1234', action: 'confirm' }),
    })
  for (const token of ['', 'A'.repeat(43), '../']) {
    const said = await (await answer(token)).text()
    expect(said, token).toContain('no longer open')
    expect(said, token).not.toContain('Thank you')
  }
  expect((await answer('x'.repeat(5000))).status).toBe(413)
  await expect(challengePage(page).getByLabel('Code')).toBeVisible()
  await challengePage(page).getByLabel('Code').fill('1234')
  await challengePage(page).getByRole('button', { name: 'Confirm' }).click()
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
