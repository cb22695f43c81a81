import { expect, test } from 'vitest'
import { ApiProblem } from '../../hosted/checkout/checkout-client.ts'
import {
  isBusy,
  next,
  noticeOf,
  type PageEvent,
  type Step,
  worksOf,
} from '../../hosted/checkout/page-state.ts'
import type { CheckoutView, ConfirmBody } from '../../shared/checkout-api.ts'

const url = 'https://bank.example/challenge'
const nextAction = { url }

/** The fields of a view that the page reads, by a name for each kind. */
const views: Readonly<Record<string, object>> = {
  form: { status: 'requires_payment_method' },
  declined: { status: 'requires_payment_method', lastPaymentFailure: { code: 'card_declined' } },
  challenge: { status: 'requires_action', nextAction: { ...nextAction, type: 'challenge' } },
  bank: { status: 'requires_action', nextAction: { ...nextAction, type: 'redirect' } },
  processing: { status: 'processing' },
  succeeded: { status: 'succeeded' },
  canceled: { status: 'canceled' },
}

const lost = new TypeError('Failed to fetch')
const rejected = (code: string, pointers: readonly string[] = []): ApiProblem =>
  new ApiProblem(409, {
    code,
    errors: pointers.map((pointer) => ({ pointer, code: '', detail: '' })),
  })

const confirmation: ConfirmBody = {
  confirmationId: 'own',
  version: 1,
  paymentMethod: { type: 'card', card: { number: '', expMonth: 12, expYear: 2040, cvc: '' } },
}

/** The events besides views. */
const events: Readonly<Record<string, PageEvent>> = {
  pay: { type: 'send', sending: { path: 'confirm', confirmation } },
  cancel: { type: 'send', sending: { path: 'cancel' } },
  'another-card': { type: 'send', sending: { path: 'challenge/cancel' } },
  open: { type: 'open' },
  failing: { type: 'failing' },
  lost: { type: 'send failed', error: lost },
  conflict: { type: 'send failed', error: rejected('version_conflict') },
  'past-year': {
    type: 'send failed',
    error: rejected('validation_failed', ['/paymentMethod/card/expYear']),
  },
  opened: { type: 'opened', ticket: { url, token: 't' } },
  'open-failed': { type: 'open failed', error: lost },
  stays: { type: 'open failed', error: undefined },
  over: { type: 'over' },
  restored: { type: 'restored' },
  waited: { type: 'waited' },
  unread: { type: 'read failed' },
  offline: { type: 'offline' },
  online: { type: 'online' },
}

/**
 * Reads `form-1` as a read of version 1, and `=challenge-2` as the response to the buyer's request. `own-challenge-2` is a
 * read too, of a view whose latest confirmation is this page's.
 */
function eventOf(text: string): PageEvent {
  const [, prefix, name = '', version] = /^(=|own-)?(\w+)-(\d)$/.exec(text) ?? []
  const event = events[text]
  if (event) return event
  if (!views[name]) throw new Error(`${text}: is no event`)
  const confirmationId = prefix ? 'own' : 'other'
  // The other fields are only shown.
  const view = { version: Number(version), confirmationId, ...views[name] } as CheckoutView
  return { type: prefix === '=' ? 'response' : 'read', view }
}

/** Step, notice, and work in short: `card again`, `bank opening busy open 2`. */
function shortOf(step: Step): string {
  const end = step.name === 'result' && step.end
  const page = step.name === 'bank' && (typeof step.page === 'string' ? step.page : 'open')
  const parts = [step.name, page, end, noticeOf(step), isBusy(step) && 'busy']
  // The others follow from `busy`.
  const works = worksOf(step).filter((work) => /^(open|wait)/.test(String(work)))
  return [...parts, ...works].filter(Boolean).join(' ')
}

test.each([
  ['pays with a card', 'form-1 pay =succeeded-3', 'card > card busy > result finish'],
  [
    'removes the reason of a decline with the next press',
    'form-1 pay =declined-3 pay',
    'card > card busy > card failure > card busy',
  ],
  [
    'sends one request for several presses',
    'form-1 pay pay cancel another-card open',
    'card > card busy > card busy > card busy > card busy > card busy',
  ],
  [
    'ignores a view that is older than the shown one',
    'declined-3 form-1 pay =form-2',
    'card failure > card failure > card busy > card',
  ],
  [
    'shows a result that is read before the response',
    'form-1 pay own-processing-2 own-succeeded-3 =processing-2',
    'card > card busy > processing busy wait 2 > result finish > result finish',
  ],
  [
    'ends with a pending result, and shows the form again if it is declined',
    'form-1 pay =processing-2 waited declined-3',
    'card > card busy > processing busy wait 2 > result finish > card failure',
  ],
  [
    'opens the challenge of its confirmation, and leaves it for another card',
    'form-1 pay =challenge-2 opened another-card =declined-3',
    'card > card busy > bank opening busy open 2 > bank open busy > bank open busy > card failure',
  ],
  [
    'opens a challenge that is read before the response once',
    'form-1 pay own-challenge-2 =challenge-2 opened own-challenge-2',
    'card > card busy > bank opening busy open 2 > bank opening busy open 2 > bank open busy > bank open busy',
  ],
  [
    'opens the challenge of a confirmation whose response is lost',
    'form-1 pay failing own-challenge-2',
    'card > card busy > card unknown busy > bank opening busy open 2',
  ],
  [
    'shows the reason of a decline whose response is lost',
    'form-1 pay failing lost own-declined-3',
    'card > card busy > card unknown busy > card unknown busy > card failure',
  ],
  [
    'offers the challenge of a confirmation that arrives after its last attempt',
    'form-1 pay failing lost form-1 own-challenge-2',
    'card > card busy > card unknown busy > card unknown busy > card again > bank offered busy',
  ],
  [
    'offers the challenge of another window whose confirmation was first',
    'form-1 pay challenge-2 open',
    'card > card busy > bank offered busy > bank opening busy open 2',
  ],
  ['offers the challenge after a reload', 'challenge-2', 'bank offered busy'],
  [
    'offers a challenge that another window has taken over',
    'form-1 pay =challenge-2 opened over',
    'card > card busy > bank opening busy open 2 > bank open busy > bank offered busy',
  ],
  [
    'offers a challenge that cannot be opened',
    'form-1 challenge-2 open failing open-failed',
    'card > bank offered busy > bank opening busy open 2 > bank opening connection busy open 2 > bank offered toBankFailed busy',
  ],
  [
    'leaves for the bank of its confirmation, and offers it when the page is restored',
    'form-1 pay =bank-2 restored open',
    'card > card busy > bank opening busy open 2 > bank offered > bank opening busy open 2',
  ],
  [
    'stays if the shop’s page does not leave',
    'bank-2 open stays open',
    'bank offered > bank opening busy open 2 > bank offered toBankFailed > bank opening busy open 2',
  ],
  [
    'ends with cancel if the buyer cancels in this window',
    'form-1 cancel canceled-2 =canceled-2',
    'card > card busy > result cancel > result cancel',
  ],
  ['ends with finish if another window cancels', 'form-1 canceled-2', 'card > result finish'],
  [
    'asks for another press if a cancellation had no effect',
    'form-1 cancel failing lost form-1',
    'card > card busy > card connection busy > card connection busy > card notDone',
  ],
  [
    'names the rejected field',
    'form-1 pay past-year form-1 pay past-year declined-3',
    'card > card busy > card busy > card expiryPast > card busy > card busy > card expiryPast',
  ],
  [
    'names the change by another window, before or after the rejection',
    'form-1 pay declined-3 pay conflict declined-5',
    'card > card busy > card changed > card busy > card busy > card changed',
  ],
  [
    'says while it is offline that it is, and then what it said before',
    'declined-1 unread offline unread online offline form-1 offline declined-3',
    'card failure > card connection > card offline > card offline > card failure > card offline > card failure > card offline > card failure',
  ],
  [
    'shows a lost connection until a read succeeds, but an unknown result first',
    'form-1 unread pay failing offline online form-1 =succeeded-3',
    'card > card connection > card connection busy > card unknown busy > card unknown busy > card unknown busy > card unknown busy > result finish',
  ],
])('%s', (_, sequence, shown) => {
  let step: Step = { name: 'opening' }
  const steps: string[] = []
  for (const text of sequence.split(' ')) {
    const event = eventOf(text)
    const isFirst = step.name === 'opening' && event.type === 'read'
    step = next(step, isFirst ? { ...event, type: 'session' } : event)
    steps.push(shortOf(step))
  }
  expect(steps.join(' > ')).toBe(shown)
})
