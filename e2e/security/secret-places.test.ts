import { control, environmentPath } from '@pi-checkout/test-support/sandbox'
import {
  challengePage,
  expectOrder,
  fillCard,
  hostedPage,
  openCheckout,
  orderOf,
  passChallenge,
  payButton,
} from '../fixtures/buyer.ts'
import { recordTraffic, scanPage, scanPrograms, strayCanaries } from '../fixtures/canaries.ts'
import { expect, test } from '../fixtures/cross-site-stack.ts'

/** The places where a secret is required, as `canary in place`. */
const allowedPlaces: readonly RegExp[] = [
  // The page receives the handoff, and the hosted page sends it for a session token.
  /^clientSecret in response body of POST \/checkout\/handoff$/,
  /^clientSecret in request body of POST \/checkout-api\/session$/,
  /^sessionToken in response body of POST \/checkout-api\/session$/,
  /^sessionToken in request header authorization of (?:GET|POST) \/checkout-api\/\S+$/,
  // A card is sent in the confirmation only.
  /^(?:un)?listedCard in request body of POST \/checkout-api\/confirm$/,
  // The sandbox's public list of test cards.
  /^listedCard in response body of GET \/checkout-assets\/form-[\w-]+\.js$/,
  // The scan searches for a security code with its field name: three digits alone are everywhere.
  /^securityCode in request body of POST \/checkout-api\/confirm$/,
]

test('a payment leaves secrets and card data where required only', async ({ page, stack }) => {
  const traffic = recordTraffic(page.context())
  const lines: string[] = []
  page.context().on('console', (line) => lines.push(line.text()))
  await page.context().addInitScript(recorder)

  const unlisted = '4111111111111111'
  const listed = '4000000000003220'
  const securityCode = '907'
  const session = page.waitForResponse('**/checkout-api/session')
  const handoff = await openCheckout(page)
  expect(Object.keys(handoff)).toEqual(['id', 'clientSecret', 'orderId'])
  const { clientSecret } = handoff
  const { token } = (await (await session).json()) as { readonly token: string }
  const order = orderOf(page)

  await fillCard(page, unlisted, securityCode)
  await payButton(page).click()
  // The page rejects a real card without sending it.
  await expect(hostedPage(page).getByText('Only test cards')).toBeVisible()
  const open = await scanPage(page)
  await fillCard(page, listed, securityCode)
  await payButton(page).click()
  await expect(challengePage(page).getByLabel('Code')).toBeVisible()
  const challenged = await scanPage(page)
  await passChallenge(page)
  await expectOrder(page, 'paid')
  const paid = await scanPage(page)
  for (const path of ['/', '/cart', `/orders/${order}`]) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  }

  const logged = await control<object>(stack, `${await environmentPath(stack)}/requests`)
  expect(JSON.stringify(logged)).toContain(order)

  const canaries = {
    apiKey: stack.api.apiKey,
    clientSecret: clientSecret.slice(clientSecret.indexOf('_secret_') + 8),
    sessionToken: token.split('.')[2] ?? '',
    unlistedCard: unlisted,
    listedCard: listed,
    adminToken: stack.api.adminToken,
  }
  expect(Object.values(canaries).filter((value) => value.length < 16)).toEqual([])

  const places = [
    ...[...open, ...challenged, ...paid].map((text) => ['page', text] as const),
    ...lines.map((text) => ['console', text] as const),
    ['request log', JSON.stringify(logged)] as const,
    ...(await traffic.places()),
    ...(await scanPrograms(stack)),
  ]
  expect(strayCanaries({ ...canaries, securityCode }, places, allowedPlaces)).toEqual([])
})

/** Records every change of the document and every error, as session replay tools and error trackers do. */
function recorder(): void {
  const tape: string[] = []
  Object.assign(window, { tape })
  const keep = (node: Node): void => {
    if (node instanceof Element) tape.push(node.outerHTML)
  }
  new MutationObserver((records) => {
    for (const { target, attributeName, oldValue, addedNodes } of records) {
      keep(target)
      addedNodes.forEach(keep)
      tape.push(`${attributeName}=${oldValue}`)
    }
  }).observe(document, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeOldValue: true,
    characterData: true,
    characterDataOldValue: true,
  })
  addEventListener('error', ({ message, error }) => tape.push(message, String(error?.stack)))
  addEventListener('unhandledrejection', ({ reason }) => tape.push(String(reason?.stack)))
  for (const name of ['statechange', 'ready', 'finish', 'error', 'leave', 'cancel']) {
    addEventListener(`pi-${name}`, (event) => {
      for (const key in event) tape.push(`${key}=${String(Reflect.get(event, key))}`)
    })
  }
}
