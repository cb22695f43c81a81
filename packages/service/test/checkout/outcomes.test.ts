import { HostedPage } from '@pi-checkout/test-support/http-buyer'
import { describe, expect, test } from 'vitest'
import { stateOf } from '../../src/intents/intent.ts'
import { answer, enter, shop, startCheckout, tokenIn } from '../support/checkout.ts'
import { stores } from '../support/store.ts'

/** Number and code, and the failure that buyer and merchant see. */
const declines = [
  ['4000000000000002', '', 'card_declined', 'generic_decline'],
  ['4000000000009995', '', 'card_declined', 'insufficient_funds'],
  ['4000000000009987', '', 'card_declined', 'generic_decline'],
  ['4000000000000069', '', 'expired_card', null],
  ['4000000000000127', '', 'incorrect_cvc', null],
  ['4000000000000119', '', 'processing_error', null],
  ['4000000000003220', '0000', 'authentication_failed', 'authentication_denied'],
  ['4000000000003220', '9999', 'authentication_failed', 'authentication_unavailable'],
  ['4000008400001629', '1234', 'card_declined', 'generic_decline'],
  ['4000008260003178', '1234', 'card_declined', 'insufficient_funds'],
  ['4000008400001280', '1234', 'authentication_unavailable', null],
] as const

describe.each(stores)('%s', async (_, open) => {
  const checkout = await startCheckout({ db: await open() })
  await checkout.registerOrigin(shop)

  async function opened(): Promise<HostedPage> {
    const client = new HostedPage(checkout)
    await client.open(await checkout.createIntent())
    return client
  }

  /** Pays with a card, and opens the code form of its challenge. */
  async function entered(client: HostedPage, number = '4000000000003220') {
    await client.pay(number)
    const ticket = await client.openChallenge()
    return { ticket, token: await enter(ticket) }
  }

  test.each(declines)(
    'accepts another card after %s with the code "%s": %s %s',
    async (number, text, code, declineCode) => {
      const client = await opened()
      if (text) {
        const { ticket, token } = await entered(client, number)
        await answer(ticket, token, text)
      } else await client.pay(number)
      expect(await client.view()).toMatchObject({
        status: 'requires_payment_method',
        paymentMethod: null,
        lastPaymentFailure: { code, declineCode, retryable: true },
      })
      expect(await (await client.pay('4242424242424242')).json()).toMatchObject({
        status: 'succeeded',
        paymentMethod: {
          type: 'card',
          card: { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2040, funding: 'credit' },
        },
        lastPaymentFailure: null,
      })
    },
  )

  test('fails the intent after a stolen card, shown as a plain decline', async () => {
    const client = await opened()
    const failure = { code: 'card_declined', declineCode: 'generic_decline', retryable: false }
    expect(await (await client.pay('4000000000009979')).json()).toMatchObject({
      status: 'failed',
      lastPaymentFailure: failure,
    })
    expect(await (await client.pay('4242424242424242')).json()).toMatchObject({
      status: 409,
      code: 'intent_finalized',
      detail: 'The Payment Intent is final. Read it again.',
    })
  })

  test('pays after the right code, without the hosted page', async () => {
    const client = await opened()
    const { ticket, token } = await entered(client)
    const done = await answer(ticket, token, '1234')
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('data-done')])
    expect(await client.view()).toMatchObject({ status: 'succeeded', nextAction: null })
  })

  test('asks again after two wrong codes, also of a challenge that is opened again', async () => {
    const client = await opened()
    const { ticket, token: first } = await entered(client)
    expect(await (await answer(ticket, first, '1111')).text()).toContain('Try again')
    const again = await client.openChallenge()
    const last = await (await answer(again, await enter(again), '1111')).text()
    expect(last).toContain('One try is left')
    await answer(again, tokenIn(last), '1111')
    expect(await client.view()).toMatchObject({
      status: 'requires_payment_method',
      lastPaymentFailure: { declineCode: 'authentication_denied' },
    })
  })

  test('settles a slow payment after five seconds, and never a pending one', async () => {
    const [slow, pending] = [await opened(), await opened()]
    expect(await (await slow.pay('4000000000000341')).json()).toMatchObject({
      status: 'processing',
    })
    await pending.pay('4000000000000077')
    checkout.advance(60_000)
    expect((await slow.view()).status).toBe('succeeded')
    expect((await pending.view()).status).toBe('processing')
  })

  test('charges once for one of twenty simultaneous confirmations', async () => {
    const client = await opened()
    const { id, version } = await client.view()
    const pay = () => client.pay('4242424242424242', { version })
    const responses = await Promise.all(Array.from({ length: 20 }, pay))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
    const intent = await checkout.context.intents.find(id)
    const confirmations = intent ? stateOf(intent).confirmations : []
    expect(confirmations).toMatchObject([{ providerPaymentId: expect.stringMatching(/^sim_/) }])
  })
})
