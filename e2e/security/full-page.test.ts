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
