/** The texts that the element shows, in English, Armenian, and Russian. @module */
import type { CheckoutError } from './errors.ts'

/** In the order of `languages`. */
export const texts = {
  title: ['Secure payment form', 'Վճարման անվտանգ էջ', 'Безопасная форма оплаты'],
  /** After four seconds. */
  loading: [
    'This takes longer than usual…',
    'Սա սովորականից երկար է տևում…',
    'Загрузка идёт дольше обычного…',
  ],
  confirming: [
    'We are confirming your payment. Do not pay again.',
    'Հաստատում ենք ձեր վճարումը։ Կրկին մի վճարեք։',
    'Подтверждаем ваш платёж. Не платите повторно.',
  ],
  processing: [
    'Your bank is processing the payment. You can leave this page.',
    'Ձեր բանկը մշակում է վճարումը։ Կարող եք փակել այս էջը։',
    'Ваш банк обрабатывает платёж. Эту страницу можно закрыть.',
  ],
  paid: [
    'Thank you. We have received your payment.',
    'Շնորհակալություն։ Մենք ստացել ենք ձեր վճարումը։',
    'Спасибо. Мы получили ваш платёж.',
  ],
  review: [
    'We have received a payment and are checking it. Do not pay again.',
    'Մենք ստացել ենք վճարում և ստուգում ենք այն։ Կրկին մի վճարեք։',
    'Мы получили платёж и проверяем его. Не платите повторно.',
  ],
  failed: ['The payment did not go through.', 'Վճարումը չհաջողվեց։', 'Платёж не прошёл.'],
  canceled: ['You canceled the payment.', 'Դուք չեղարկեցիք վճարումը։', 'Вы отменили платёж.'],
  expired: ['The time to pay is over.', 'Վճարման ժամկետն անցել է։', 'Время на оплату истекло.'],
  uncharged: ['You were not charged.', 'Գումար չի գանձվել։', 'Деньги не списаны.'],
  refunded: ['Your payment was refunded.', 'Ձեր վճարումը վերադարձվել է։', 'Ваш платёж возвращён.'],
  unavailable: [
    'The payment form is not available right now.',
    'Վճարման էջն այս պահին հասանելի չէ։',
    'Форма оплаты сейчас недоступна.',
  ],
  offline: ['You are offline.', 'Կապ չկա։', 'Нет подключения.'],
  again: ['You pay only once.', 'Երկու անգամ չեք վճարի։', 'Дважды вы не заплатите.'],
  unauthorized: [
    'This form has expired. Reload the page.',
    'Վճարման էջի ժամկետն անցել է։ Թարմացրեք էջը։',
    'Срок действия формы истёк. Обновите страницу.',
  ],
  unknown: [
    'The shop has not confirmed the payment yet. Do not pay again.',
    'Խանութը դեռ չի հաստատել վճարումը։ Կրկին մի վճարեք։',
    'Магазин ещё не подтвердил платёж. Не платите повторно.',
  ],
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
  if (code === 'status_failed') return textOf('unknown')
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
