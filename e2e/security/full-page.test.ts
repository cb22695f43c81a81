import { payWith } from '@pi-checkout/element/testing'
import { expectOrder, goToFullPage, openCheckout } from '../fixtures/buyer.ts'
import { recordTraffic, scanPage, scanPrograms, strayCanaries } from '../fixtures/canaries.ts'
import { expect, test } from '../fixtures/cross-site-stack.ts'

const allowedPlaces: readonly RegExp[] = [
  /^clientSecret in response body of POST \/checkout\/(?:handoff|start)$/,
  /^clientSecret in request body of POST \/checkout\/pi_\w+$/,
  /^clientSecret in request body of POST \/checkout-api\/session$/,
  /^cookie in response header set-cookie of POST \/checkout\/pi_\w+$/,
  /^cookie in request header cookie of (?:GET|POST) \/checkout\/pi_\w+\/(?:page|session)$/,
]

test('the full page leaves the secret and its cookie in no address, history, log, or store', async ({
  page,
  context,
  stack,
  pageErrors,
}) => {
  // Chromium's hint for every frame of a top page, also one of another origin.
  pageErrors.allow(/sandbox attribute/)
  const traffic = recordTraffic(context)
  const { clientSecret } = await openCheckout(page)
  await goToFullPage(page)
  const open = await scanPage(page)
  const cookies = await context.cookies(page.url())
  const cookie = cookies.find(({ name }) => name === 'pi-checkout')?.value.split('.')[2] ?? ''
  await payWith(page, 'challenge')
  await expectOrder(page, 'paid')
  const places = [
    ...[...open, ...(await scanPage(page))].map((text) => ['page', text] as const),
    ...(await traffic.places()),
    ...(await scanPrograms(stack)),
  ]
  const canaries = { clientSecret: clientSecret.split('_secret_')[1] ?? '', cookie }
  expect(strayCanaries(canaries, places, allowedPlaces)).toEqual([])
})

test('another site gains nothing from a stolen form, a frame, or a window', async ({
  page,
  context,
  stack,
  pageErrors,
}) => {
  pageErrors.allow(/./)
  const { id, clientSecret } = await openCheckout(page)
  await goToFullPage(page)
  const address = page.url()
  const { attacker, checkoutOrigin, shopUrl } = stack
  const fields = { clientSecret, returnUrl: `${shopUrl}/pay/x` }
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
  )
  const form = (target: string) =>
    `<form method="post" target="${target}" action="${checkoutOrigin}/checkout/${id}">${inputs.join('')}</form>`
  const pages: Record<string, string> = {
    '/form': `${form('_self')}<script>document.forms[0].submit()</script>`,
    '/frame': `<iframe name="frame" src="${address}"></iframe>`,
    '/window': '<button onclick="opened = window.open(this.value)">Open</button>',
  }
  attacker.respond = ({ path }) => pages[path]

  const thief = await context.newPage()
  await thief.goto(`${attacker.origin}/form`)
  await expect(thief.getByText('This payment cannot be opened here')).toBeVisible()
  expect(thief.url()).toBe(`${checkoutOrigin}/checkout/${id}`)

  await thief.goto(`${attacker.origin}/frame`)
  await expect.poll(() => thief.frames().length).toBe(2)
  const [, frame] = thief.frames()
  await expect.poll(() => frame?.url()).toContain('chrome-error:')

  await thief.goto(`${attacker.origin}/window`)
  await thief
    .getByRole('button')
    .evaluate((button, value) => Object.assign(button, { value }), address)
  const [opened] = await Promise.all([
    context.waitForEvent('page'),
    thief.getByRole('button').click(),
  ])
  await opened.waitForURL(address)
  expect(await opened.evaluate('opener')).toBeNull()
  expect(await thief.evaluate('opened.closed')).toBe(true)

  // Nothing was confirmed, and the buyer's own page still works.
  await payWith(page, 'succeeded')
  await expectOrder(page, 'paid')
})
