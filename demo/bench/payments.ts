/**
 * From the click on Pay until the shop shows `paid`, beside the same calls made by a script.
 *
 * @module
 */
import { randomUUID } from 'node:crypto'
import { type BrowserContext, chromium, type Page } from '@playwright/test'
import { median, type Round, type Row, rounded, rowOf } from '../../.ci/bench/row.ts'
import { Buyer } from '../test/buyer.ts'
import type { House } from './house.ts'
import { payment } from './table.ts'

const card = { number: '4242424242424242', expMonth: 12, expYear: 2034, cvc: '123' }

/** Milliseconds of one payment made by a script, call by call. */
interface Calls {
  readonly confirm: number
  readonly status: number
  readonly order: number
}

/** Pays in turns: a buyer in Chromium, then a script with the same calls at the same servers. */
export async function measurePayments(
  house: House,
  { rounds }: { readonly rounds: number },
): Promise<{ readonly rows: readonly Row[]; readonly runs: readonly object[] }> {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath })
  const context = await browser.newContext({ baseURL: house.shopUrl, locale: 'en-US' })
  const clicks = await watch(context)
  const page = await context.newPage()
  const buyer = await new Buyer(house.shopUrl).visit()
  const seen: number[] = []
  const calls: Calls[] = []
  // The first of each warms caches and compilers; not counted.
  for (let round = 0; round <= rounds; round++) {
    const shown = await payInBrowser(page, clicks)
    const bare = await payByScript(buyer, house)
    if (round === 0) continue
    seen.push(shown)
    calls.push(bare)
  }
  await browser.close()
  const pairs = seen.map((ours, at): Round => ({ ours, baseline: sum(calls[at]) }))
  const ms = (values: readonly number[]) => rounded(median(values))
  return {
    rows: [rowOf(payment, pairs)],
    runs: [
      { what: 'click on Pay to `paid` shown', ms: ms(seen) },
      { what: 'bare calls, their sum', ms: ms(calls.map(sum)) },
      { what: 'bare confirm', ms: ms(calls.map(({ confirm }) => confirm)) },
      { what: 'bare status', ms: ms(calls.map(({ status }) => status)) },
      { what: 'bare order', ms: ms(calls.map(({ order }) => order)) },
    ],
  }
}

/** When the two moments were, by the one clock that all documents share. */
interface Moments {
  clicked: number
  paid: Promise<number>
  tellPaid: (at: number) => void
}

/** Documents tell by themselves, so that no question of ours disturbs them meanwhile. */
async function watch(context: BrowserContext): Promise<Moments> {
  const moments: Moments = { clicked: 0, paid: Promise.resolve(0), tellPaid: () => {} }
  await context.exposeFunction('tellMoment', (name: 'clicked' | 'paid', at: number) => {
    if (name === 'clicked') moments.clicked = at
    else moments.tellPaid(at)
  })
  await context.addInitScript({ content: watching })
  return moments
}

// `addInitScript` takes it as text: this project's types know no document.
const watching = `{
  const tell = (name, at) => tellMoment(name, performance.timeOrigin + at)
  addEventListener('click', ({ target, timeStamp }) => {
    if (target.closest('button.pay')) tell('clicked', timeStamp)
  })
  const look = new MutationObserver(() => {
    if (!document.querySelector('[data-testid="order-state"][data-state="paid"]')) return
    look.disconnect()
    tell('paid', performance.now())
  })
  look.observe(document, { subtree: true, childList: true, attributes: true })
}`

/** @returns Milliseconds from the click until the shop's page says paid. */
async function payInBrowser(page: Page, moments: Moments): Promise<number> {
  moments.paid = new Promise((resolve) => {
    moments.tellPaid = resolve
  })
  await page.goto('/')
  await page.getByTestId('add-to-cart').first().click()
  await page.getByTestId('cart-count').filter({ hasText: '1' }).waitFor()
  await page.goto('/cart')
  await page.getByTestId('place-order').click()
  const form = page.frameLocator('pi-checkout iframe')
  await form.getByLabel('Card number').fill(card.number)
  await form.getByLabel('Expiry date').fill('12/34')
  await form.getByLabel('Security code').fill(card.cvc)
  await form.getByLabel('Name on card').fill('Test Buyer')
  await form.locator('button.pay[aria-disabled="false"]').click()
  return (await moments.paid) - moments.clicked
}

/** The same order by the same calls; what comes before the click is not counted. */
async function payByScript(buyer: Buyer, { shopUrl, checkoutUrl }: House): Promise<Calls> {
  const [product] = (await buyer.catalogue()).products
  await buyer.put(product?.id ?? '', 1)
  const orderId = await buyer.placeOrder()
  const pair = await buyer.handoff(orderId)
  const post = async (path: string, body: object, token?: string): Promise<unknown> => {
    const answer = await fetch(`${checkoutUrl}/checkout-api/${path}`, {
      method: 'POST',
      headers: {
        origin: checkoutUrl,
        'content-type': 'application/json',
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
    return answer.json()
  }
  const { token, intent } = (await post('session', { ...pair, origin: shopUrl })) as {
    readonly token: string
    readonly intent: { readonly version: number }
  }
  const began = performance.now()
  const confirm = {
    attemptId: randomUUID(),
    version: intent.version,
    paymentMethod: { type: 'card', card },
  }
  await post('confirm', confirm, token)
  const confirmed = performance.now()
  const state = await buyer.status(orderId)
  const asked = performance.now()
  const order = await buyer.order(orderId)
  const ended = performance.now()
  if (state !== 'paid' || order.state !== 'paid') throw new Error(`the order is ${state}`)
  return { confirm: confirmed - began, status: asked - confirmed, order: ended - asked }
}

function sum(calls: Calls | undefined): number {
  return calls ? calls.confirm + calls.status + calls.order : Number.NaN
}
