/** The texts that the element shows, in English, Armenian, and Russian. @module */
import type { CheckoutError } from './errors.ts'

/** In the order of `languages`. */
export const texts = {
  title: ['Payment form', 'Վճարման էջ', 'Форма оплаты'],
  loading: ['Still loading…', 'Դեռ բեռնվում է…', 'Всё ещё загружается…'],
  /** The shop has not said the result. The form may have shown it. */
  confirming: [
    'Waiting for the shop to answer.',
    'Սպասում ենք խանութի պատասխանին։',
    'Ждём ответа магазина.',
  ],
  processing: [
    'Your bank is processing the payment.',
    'Ձեր բանկը մշակում է վճարումը։',
    'Ваш банк обрабатывает платёж.',
  ],
  review: [
    'We are checking your payment.',
    'Մենք ստուգում ենք ձեր վճարումը։',
    'Мы проверяем ваш платёж.',
  ],
  leave: ['You can leave this page.', 'Կարող եք փակել այս էջը։', 'Эту страницу можно закрыть.'],
  once: ['Do not pay again.', 'Կրկին մի վճարեք։', 'Не платите повторно.'],
  paid: [
    'We have received your payment. Thank you.',
    'Մենք ստացել ենք ձեր վճարումը։ Շնորհակալություն։',
    'Мы получили ваш платёж. Спасибо.',
  ],
  failed: ['The payment did not go through.', 'Վճարումը չհաջողվեց։', 'Платёж не прошёл.'],
  canceled: ['The payment was canceled.', 'Վճարումը չեղարկվել է։', 'Платёж отменён.'],
  expired: ['The time to pay has run out.', 'Վճարման ժամկետն անցել է։', 'Время на оплату истекло.'],
  uncharged: ['You were not charged.', 'Գումար չի գանձվել։', 'Деньги не списаны.'],
  refunded: ['Your payment was refunded.', 'Ձեր վճարումը վերադարձվել է։', 'Ваш платёж возвращён.'],
  unavailable: [
    'The payment form is not available.',
    'Վճարման էջը հասանելի չէ։',
    'Форма оплаты недоступна.',
  ],
  offline: ['You are offline.', 'Կապ չկա։', 'Нет подключения.'],
  again: [
    'You can try again. You pay only once.',
    'Կարող եք նորից փորձել։ Կվճարեք մեկ անգամ։',
    'Можно попробовать ещё раз. Вы заплатите один раз.',
  ],
  contact: ['Contact the shop.', 'Դիմեք խանութին։', 'Обратитесь в магазин.'],
  ended: ['Your session has expired.', 'Սեսիայի ժամկետն անցել է։', 'Сеанс истёк.'],
  check: ['Check again', 'Նորից ստուգել', 'Проверить ещё раз'],
  retry: ['Try again', 'Նորից փորձել', 'Попробовать ещё раз'],
  pay: ['Pay again', 'Նորից վճարել', 'Оплатить ещё раз'],
  reload: ['Reload', 'Թարմացնել', 'Обновить'],
}

/** States with a text about the payment, and its icon. */
export const icons = { confirming: '⋯', processing: '⋯', paid: '✓', review: '⋯', failed: '!' }

const languages = ['en', 'hy', 'ru']

/** Returns a text in one language. */
export type TextOf = (name: keyof typeof texts) => string

/** Returns the texts for a BCP 47 tag, in English if the tag is unknown, empty, or malformed. */
export function textsFor(tag: string): TextOf {
  const [language = ''] = tag.toLowerCase().split('-')
  const index = Math.max(0, languages.indexOf(language))
  return (name) => texts[name][index] ?? ''
}

/** Returns what the shop says about the payment, and what the buyer can do. */
export function resultText(textOf: TextOf, state: keyof typeof icons, reason?: string): string {
  if (state === 'paid') return textOf(state)
  if (state === 'confirming') return `${textOf(state)} ${textOf('once')}`
  if (state !== 'failed') return `${textOf(state)} ${textOf('leave')} ${textOf('once')}`
  if (reason === 'refunded') return textOf(reason)
  const isKnown = reason === 'canceled' || reason === 'expired'
  return `${textOf(isKnown ? reason : state)} ${textOf('uncharged')}`
}

/** What a button does, by the name of its text. */
export type ButtonName = 'check' | 'pay' | 'reload' | 'retry'

/** Returns what can help after an error: another look, the shop's sign-in, or another try. */
export function buttonFor({ code, cause, retryable }: CheckoutError): ButtonName | undefined {
  if (code === 'status_failed') return 'check'
  // The shop's session has ended, or the checkout's.
  const { status, code: why } = Object(cause)
  const isEnded =
    code === 'unauthorized' || why === 'order_not_found' || [401, 403].includes(status)
  return isEnded ? 'reload' : retryable ? 'retry' : undefined
}

/** Returns what happened, and what the buyer can do. @param isBelow - The form above shows its result. */
export function errorText(textOf: TextOf, error: CheckoutError, isBelow: boolean): string {
  const button = buttonFor(error)
  if (isBelow || button === 'check') {
    const text = resultText(textOf, 'confirming')
    return Object(error.cause).retryable === false ? `${text} ${textOf('contact')}` : text
  }
  if (button === 'reload') return `${textOf('ended')} ${textOf('again')}`
  const text = textOf(error.code === 'offline' ? error.code : 'unavailable')
  return `${text} ${textOf(button ? 'again' : 'contact')}`
}

/** Returns the closest `lang` around an element, also outside of its shadow root. */
export function closestLanguage(element: Element): string {
  const ancestor = element.closest<HTMLElement>('[lang]')
  if (ancestor) return ancestor.lang
  const { host } = element.getRootNode() as ShadowRoot
  // That of a link is text.
  return typeof host === 'object' ? closestLanguage(host) : ''
}
