import { describe, expect, test } from 'vitest'
import { answer, challenge, enter, tokenIn } from '../support/bank.ts'
import { problemOf, startTestService, storeSettings } from '../support/service.ts'

/** Number, and code or cancel at the bank, and the failure that buyer and merchant see. */
const declines = [
  ['4000000000000002', '', 'card_declined', 'generic_decline'],
  ['4000000000009995', '', 'card_declined', 'insufficient_funds'],
  ['4000000000009987', '', 'card_declined', 'generic_decline'],
  ['4000000000000069', '', 'expired_card', null],
  ['4000000000000127', '', 'incorrect_cvc', null],
  ['4000000000000119', '', 'processing_error', null],
  ['4000000000003220', '0000', 'authentication_failed', 'authentication_denied'],
  ['4000000000003220', '9999', 'authentication_failed', 'authentication_unavailable'],
  ['4000000000003220', 'cancel', 'authentication_failed', 'authentication_canceled'],
  ['4000008400001629', '1234', 'card_declined', 'generic_decline'],
  ['4000008260003178', '1234', 'card_declined', 'insufficient_funds'],
  ['4000008400001280', '1234', 'authentication_unavailable', null],
] as const

const visa = { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2040, funding: 'credit' }

describe.each(storeSettings)('%s', async (_, settings) => {
  const service = await startTestService(await settings())

  test.each(declines)(
    'accepts another card after %s with the code "%s": %s %s',
    async (number, text, code, declineCode) => {
      const page = await service.openPage()
      if (text) {
        const { ticket, token } = await challenge(page, number)
        await answer(ticket, token, text)
      } else await page.pay(number)
      expect(await page.view()).toMatchObject({
        status: 'requires_payment_method',
        paymentMethod: null,
        lastPaymentFailure: { code, declineCode, retryable: true },
      })
      expect(await (await page.pay()).json()).toMatchObject({
        status: 'succeeded',
        paymentMethod: { type: 'card', card: visa },
        lastPaymentFailure: null,
      })
    },
  )

  test('fails the intent after a stolen card, shown as a plain decline', async () => {
    const page = await service.openPage()
    const failure = { code: 'card_declined', declineCode: 'generic_decline', retryable: false }
    const failed = { status: 'failed', lastPaymentFailure: failure }
    expect(await (await page.pay('4000000000009979')).json()).toMatchObject(failed)
    expect(await problemOf(await page.pay())).toBe('409 intent_finalized')
  })

  test('pays after the right code, without the hosted page', async () => {
    const { page, ticket, token } = await challenge(await service.openPage())
    const done = await answer(ticket, token, '1234')
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('data-done')])
    expect(await page.view()).toMatchObject({ status: 'succeeded', nextAction: null })
  })

  test('asks again after two wrong codes, also of a challenge that is opened again', async () => {
    const { page, ticket, token: first } = await challenge(await service.openPage())
    expect(await (await answer(ticket, first, '1111')).text()).toContain('Try again')
    const again = await page.openChallenge()
    const last = await (await answer(again, await enter(again), '1111')).text()
    expect(last).toContain('One try is left')
    await answer(again, tokenIn(last), '1111')
    const lastPaymentFailure = { declineCode: 'authentication_denied' }
    const declined = { status: 'requires_payment_method', lastPaymentFailure }
    expect(await page.view()).toMatchObject(declined)
  })

  test('settles a slow payment after five seconds, and never a pending one', async () => {
    const [slow, pending] = [await service.openPage(), await service.openPage()]
    const paid = await slow.pay('4000000000000341')
    expect(await paid.json()).toMatchObject({ status: 'processing' })
    await pending.pay('4000000000000077')
    const clock = `/environments/${service.environmentId}/clock`
    await service.control('PUT', clock, { advance: 60_000 })
    expect((await slow.view()).status).toBe('succeeded')
    expect((await pending.view()).status).toBe('processing')
  })

  test('charges once for one of twenty simultaneous confirmations', async () => {
    const page = await service.openPage()
    const { id } = await page.view()
    const pay = () => page.pay('4242424242424242', { version: 1 })
    const responses = await Promise.all(Array.from({ length: 20 }, pay))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
    const details = await (await service.control('GET', `/intents/${id}`)).json()
    const paid = { status: 'succeeded', providerPaymentId: expect.stringMatching(/^sim_/) }
    expect(details).toMatchObject({ intent: paid, confirmations: [{ failure: null }] })
  })
})
