/** The texts that the element shows, in English, Armenian, and Russian. @module */
import type { PaymentPhase } from './client/fetch-status.ts'
import type { CheckoutError } from './errors.ts'
import type { CheckoutState } from './events.ts'

export const texts = {
  title: ['Payment form', 'Վճարման ձև', 'Форма оплаты'],
  late: [
    'This is taking longer than usual.',
    'Սովորականից երկար է տևում։',
    'Ждём дольше обычного.',
  ],
  checking: ['Checking your payment.', 'Վճարումը ստուգվում է։', 'Платёж проверяется.'],
  reviewing: ['The shop is checking your order.', 'Պատվերը ստուգվում է։', 'Заказ проверяется.'],
  uncertain: ['You may have already paid.', 'Գուցե արդեն վճարել եք։', 'Возможно, платёж прошёл.'],
  processing: [
    'Payment is still processing.',
    'Վճարումը դեռ մշակվում է։',
    'Платёж ещё обрабатывается.',
  ],
  leave: ['You can close this page.', 'Կարող եք փակել էջը։', 'Страницу можно закрыть.'],
  once: ['Do not pay again.', 'Նորից մի՛ վճարեք։', 'Не платите ещё раз.'],
  paid: ['Payment received.', 'Վճարումը ստացվել է։', 'Платёж получен.'],
  failed: ['Payment failed.', 'Վճարումը չհաջողվեց։', 'Платёж не прошёл.'],
  canceled: ['Payment canceled.', 'Վճարումը չեղարկված է։', 'Платёж отменён.'],
  expired: ['The time to pay has run out.', 'Վճարման ժամկետն անցել է։', 'Время на оплату истекло.'],
  uncharged: ['You were not charged.', 'Գումար չի գանձվել։', 'Деньги не списаны.'],
  refunded: ['Payment refunded.', 'Վճարումը վերադարձվել է։', 'Возврат оформлен.'],
  days: [
    'The money will arrive in a few days.',
    'Գումարը կհասնի մի քանի օրում։',
    'Деньги придут через несколько дней.',
  ],
  unavailable: ['Payment form did not load.', 'Վճարման ձևը չբեռնվեց։', 'Форма не загрузилась.'],
  offline: ['You are offline.', 'Ինտերնետ կապ չկա։', 'Вы не в сети.'],
  asked: [
    'Already paid? Contact the shop.',
    'Արդեն վճարե՞լ եք։ Դիմեք խանութին։',
    'Уже оплатили? Обратитесь в магазин.',
  ],
  contact: ['Contact the shop.', 'Դիմեք խանութին։', 'Обратитесь в магазин.'],
  ended: ['Your session has expired.', 'Սեսիան ավարտվել է։', 'Сеанс истёк.'],
  check: ['Check again', 'Նորից ստուգել', 'Проверить ещё раз'],
  retry: ['Try again', 'Նորից փորձել', 'Попробовать ещё раз'],
  pay: ['New payment', 'Նոր վճարում', 'Новый платёж'],
  reload: ['Reload page', 'Թարմացնել էջը', 'Обновить страницу'],
} satisfies Record<string, readonly [en: string, hy: string, ru: string]>

export type TextName = keyof typeof texts

type Result = readonly [icon: string, ...TextName[]]

/** The icon and the sentences of each result: of a state, or of one with a reason. */
const results: { readonly [name: string]: Result } = {
  confirming: ['⋯', 'checking', 'once'],
  processing: ['⋯', 'processing', 'once', 'leave'],
  paid: ['✓', 'paid', 'leave'],
  review: ['✓', 'paid', 'reviewing', 'once', 'leave'],
  failed: ['×', 'failed', 'uncharged'],
  'failed canceled': ['✕', 'canceled', 'uncharged'],
  'failed expired': ['✕', 'expired', 'uncharged'],
  'failed refunded': ['↺', 'refunded', 'days'],
} satisfies Record<
  Extract<CheckoutState, PaymentPhase | 'confirming'> | `${string} ${string}`,
  Result
>

/** Returns the texts for a BCP 47 tag, in English if the tag is unknown, empty, or malformed. */
export function textsFor(tag: string): (name: TextName) => string {
  const [language = ''] = tag.toLowerCase().split('-')
  const index = Math.max(0, ['en', 'hy', 'ru'].indexOf(language))
  return (name) => texts[name][index] ?? ''
}

/** Returns the icon and the sentences about a result. Other states have none. */
export function resultOf(state: string, reason?: string): Result | readonly [] {
  return results[`${state} ${reason}`] ?? results[state] ?? []
}

/** What a button does, by the name of its text. */
export type ButtonName = 'check' | 'pay' | 'reload' | 'retry'

/** Returns what can help after an error: another look at a payment, the shop's sign-in, or another try. */
export function buttonFor(
  { code, cause, retryable }: CheckoutError,
  mayHavePaid: boolean,
): ButtonName | undefined {
  // The shop's session has ended, or the checkout's.
  const { status, code: why } = Object(cause)
  const isEnded =
    code === 'unauthorized' || why === 'order_not_found' || [401, 403].includes(status)
  if (isEnded) return 'reload'
  // A route that does not exist stays away.
  if (!retryable || status === 404) return undefined
  return mayHavePaid ? 'check' : 'retry'
}

/** Returns what happened, and what the buyer can do. */
export function errorOf(
  error: CheckoutError,
  mayHavePaid: boolean,
  hasPage: boolean,
): readonly TextName[] {
  const button = buttonFor(error, mayHavePaid)
  const isEnded = button === 'reload'
  if (mayHavePaid) return ['uncertain', ...(isEnded ? (['ended'] as const) : []), 'once', 'contact']
  if (error.code === 'offline') return ['offline', 'asked']
  return [isEnded ? 'ended' : 'unavailable', button || hasPage ? 'asked' : 'contact']
}

/** Returns the closest `lang` around an element, also outside of its shadow root. */
export function closestLanguage(element: Element): string {
  const ancestor = element.closest<HTMLElement>('[lang]')
  if (ancestor) return ancestor.lang
  const { host } = element.getRootNode() as ShadowRoot
  // That of a link is text.
  return typeof host === 'object' ? closestLanguage(host) : ''
}
