/** The texts that the element shows, in English, Armenian, and Russian. @module */
import type { CheckoutError } from './errors.ts'

/** In the order of `languages`. */
export const texts = {
  title: ['Secure payment form', 'Վճարման անվտանգ էջ', 'Безопасная форма оплаты'],
  /** After four seconds. */
  loading: [
    'This is taking longer than usual…',
    'Սա սովորականից երկար է տևում…',
    'Загрузка идёт дольше обычного…',
  ],
  /** The shop has not said the result. The form may have shown it. */
  confirming: [
    'Waiting for the shop to confirm your order. Do not pay again.',
    'Սպասում ենք, որ խանութը հաստատի պատվերը։ Կրկին մի վճարեք։',
    'Ждём, когда магазин подтвердит заказ. Не платите повторно.',
  ],
  processing: [
    'Your bank is processing the payment. Do not pay again. You can leave this page.',
    'Ձեր բանկը մշակում է վճարումը։ Կրկին մի վճարեք։ Կարող եք փակել այս էջը։',
    'Ваш банк обрабатывает платёж. Не платите повторно. Эту страницу можно закрыть.',
  ],
  paid: [
    'We have received your payment. Thank you.',
    'Մենք ստացել ենք ձեր վճարումը։ Շնորհակալություն։',
    'Мы получили ваш платёж. Спасибо.',
  ],
  review: [
    'We have received your payment and are checking it. Do not pay again.',
    'Մենք ստացել ենք ձեր վճարումը և ստուգում ենք այն։ Կրկին մի վճարեք։',
    'Мы получили ваш платёж и проверяем его. Не платите повторно.',
  ],
  failed: ['The payment did not go through.', 'Վճարումը չհաջողվեց։', 'Платёж не прошёл.'],
  canceled: ['You canceled the payment.', 'Դուք չեղարկեցիք վճարումը։', 'Вы отменили платёж.'],
  expired: ['The time to pay has run out.', 'Վճարման ժամկետն անցել է։', 'Время на оплату истекло.'],
  uncharged: ['You were not charged.', 'Գումար չի գանձվել։', 'Деньги не списаны.'],
  refunded: ['Your payment was refunded.', 'Ձեր վճարումը վերադարձվել է։', 'Ваш платёж возвращён.'],
  unavailable: [
    'The payment form is not available.',
    'Վճարման էջը հասանելի չէ։',
    'Форма оплаты недоступна.',
  ],
  offline: ['You are offline.', 'Կապ չկա։', 'Нет подключения.'],
  again: ['You will not be charged twice.', 'Երկու անգամ չի գանձվի։', 'Деньги не спишутся дважды.'],
  unauthorized: [
    'Your session has ended. Reload the page.',
    'Աշխատաշրջանն ավարտվել է։ Թարմացրեք էջը։',
    'Сеанс завершён. Обновите страницу.',
  ],
  check: ['Check again', 'Ստուգել նորից', 'Проверить ещё раз'],
  retry: ['Try again', 'Նորից փորձել', 'Попробовать ещё раз'],
}

const languages = ['en', 'hy', 'ru']

/** Returns a text in one language. */
export type TextOf = (name: keyof typeof texts) => string

/** Returns the texts for a BCP 47 tag, in English if the tag is unknown, empty, or malformed. */
export function textsFor(tag: string): TextOf {
  const [language = ''] = tag.toLowerCase().split('-')
  const index = Math.max(0, languages.indexOf(language))
  return (name) => texts[name][index] ?? ''
}

/** Returns what happened and what the buyer can do. The other errors are for the shop to correct. */
export function errorText({ code, cause, retryable }: CheckoutError, textOf: TextOf): string {
  if (code === 'status_failed') return textOf('confirming')
  // The session of the shop has ended.
  if ([401, 403].includes(Object(cause).status)) return textOf('unauthorized')
  const text = textOf(code === 'offline' || code === 'unauthorized' ? code : 'unavailable')
  return retryable ? `${text} ${textOf('again')}` : text
}

/** Returns what happened to a payment that has failed. */
export function failureText(reason: string | undefined, textOf: TextOf): string {
  if (reason === 'refunded') return textOf(reason)
  const isKnown = reason === 'canceled' || reason === 'expired'
  return `${textOf(isKnown ? reason : 'failed')} ${textOf('uncharged')}`
}

/** Returns the closest `lang` around an element, also outside of its shadow root. */
export function closestLanguage(element: Element): string {
  const ancestor = element.closest<HTMLElement>('[lang]')
  if (ancestor) return ancestor.lang
  const { host } = element.getRootNode() as ShadowRoot
  // That of a link is text.
  return typeof host === 'object' ? closestLanguage(host) : ''
}
