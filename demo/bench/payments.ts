/**
 * From the click on Pay until the shop shows `paid`, beside the same calls without our pages.
 *
 * @module
 */
import { type BrowserContext, chromium, type Page } from '@playwright/test'
import { median, type Round, type Row, rounded, rowOf } from '../../.ci/bench/row.ts'
import { type BareCalls, card, nodeCaller, payBare, sumOf, tabCaller } from './bare-calls.ts'
import type { House } from './house.ts'
import { payments } from './table.ts'

/** Pays in turns: a buyer in Chromium, a script in Node, a script in Chromium; one house for all. */
export async function measurePayments(
  house: House,
  { rounds }: { readonly rounds: number },
): Promise<{ readonly rows: readonly Row[]; readonly runs: readonly object[] }> {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath })
  const context = await browser.newContext({ baseURL: house.shopUrl, locale: 'en-US' })
  const moments = await watch(context)
  const page = await context.newPage()
  const node = nodeCaller(house)
  const tab = await tabCaller(await browser.newContext(), house)
  const seen: number[] = []
  const byNode: BareCalls[] = []
  const byTab: BareCalls[] = []
  // The first of each warms caches and compilers; not counted.
  for (let round = 0; round <= rounds; round++) {
    const shown = await payInBrowser(page, moments)
    const inNode = await payBare(node, house)
    const inTab = await payBare(tab, house)
    if (round === 0) continue
    seen.push(shown)
    byNode.push(inNode)
    byTab.push(inTab)
  }
  await browser.close()
  const beside = (calls: readonly BareCalls[]): Round[] =>
    calls.map((one, at) => ({ ours: seen[at] ?? Number.NaN, baseline: sumOf(one) }))
  return {
    rows: [rowOf(payments.script, beside(byNode)), rowOf(payments.browser, beside(byTab))],
    runs: [
      { what: 'click on Pay to `paid` shown', ms: rounded(median(seen)) },
      { what: 'bare calls by a Node script', ...medians(byNode) },
      { what: 'bare calls by a script in Chromium', ...medians(byTab) },
    ],
  }
}

function medians(calls: readonly BareCalls[]): object {
  const of = (time: (one: BareCalls) => number) => rounded(median(calls.map(time)))
  return {
    ms: of(sumOf),
    confirm: of(({ confirm }) => confirm),
    status: of(({ status }) => status),
    order: of(({ order }) => order),
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
  // Another visitor, with a warm cache.
  await page.context().clearCookies()
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
