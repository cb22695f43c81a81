/** The texts that the element shows, in English, Armenian, and Russian. @module */

import type { CheckoutError, CheckoutErrorCode } from './errors.ts'

const en = {
  title: 'Secure payment form',
  /** After four seconds. */
  loading: 'This takes longer than usual…',
  confirming: 'We are confirming your payment…',
  /** After four seconds. */
  unconfirmed: 'We are still waiting for the result. Do not pay again.',
  processing: 'Your bank is processing the payment. You can leave this page.',
  paid: 'Thank you. We have received your payment.',
  review: 'We have received a payment and are checking it. Do not pay again.',
  failed: 'The payment did not go through.',
  canceled: 'You canceled the payment.',
  expired: 'The time to pay is over.',
  uncharged: 'You were not charged.',
  refunded: 'Your payment was refunded.',
  unavailable: 'The payment form is not available right now.',
  offline: 'You are offline. The form loads when you are online.',
  unreachable: 'The payment form does not respond, or is blocked.',
  again: 'You pay only once.',
  unauthorized: 'This payment form has expired. Reload the page.',
  unknown: 'We could not confirm your payment. Ask the shop before you pay again.',
  retry: 'Try again',
}

export type Texts = Readonly<typeof en>

const translations: Readonly<Record<string, Texts>> = {
  hy: {
    title: 'Վճարման անվտանգ էջ',
    loading: 'Սա սովորականից երկար է տևում…',
    confirming: 'Հաստատում ենք ձեր վճարումը…',
    unconfirmed: 'Դեռ սպասում ենք արդյունքին։ Կրկին մի վճարեք։',
    processing: 'Ձեր բանկը մշակում է վճարումը։ Կարող եք փակել այս էջը։',
    paid: 'Շնորհակալություն։ Մենք ստացել ենք ձեր վճարումը։',
    review: 'Մենք ստացել ենք վճարում և ստուգում ենք այն։ Կրկին մի վճարեք։',
    failed: 'Վճարումը չհաջողվեց։',
    canceled: 'Դուք չեղարկեցիք վճարումը։',
    expired: 'Վճարման ժամկետն անցել է։',
    uncharged: 'Գումար չի գանձվել։',
    refunded: 'Ձեր վճարումը վերադարձվել է։',
    unavailable: 'Վճարման էջն այս պահին հասանելի չէ։',
    offline: 'Կապ չկա։ Էջը կբեռնվի, երբ կապը վերականգնվի։',
    unreachable: 'Վճարման էջը չի պատասխանում կամ արգելափակված է։',
    again: 'Երկու անգամ չեք վճարի։',
    unauthorized: 'Վճարման էջի ժամկետն անցել է։ Թարմացրեք էջը։',
    unknown: 'Չհաջողվեց հաստատել ձեր վճարումը։ Կրկին վճարելուց առաջ հարցրեք խանութին։',
    retry: 'Նորից փորձել',
  },
  ru: {
    title: 'Безопасная форма оплаты',
    loading: 'Загрузка идёт дольше обычного…',
    confirming: 'Подтверждаем ваш платёж…',
    unconfirmed: 'Мы всё ещё ждём результат. Не платите повторно.',
    processing: 'Ваш банк обрабатывает платёж. Эту страницу можно закрыть.',
    paid: 'Спасибо. Мы получили ваш платёж.',
    review: 'Мы получили платёж и проверяем его. Не платите повторно.',
    failed: 'Платёж не прошёл.',
    canceled: 'Вы отменили платёж.',
    expired: 'Время на оплату истекло.',
    uncharged: 'Деньги не списаны.',
    refunded: 'Ваш платёж возвращён.',
    unavailable: 'Форма оплаты сейчас недоступна.',
    offline: 'Нет подключения. Форма загрузится, когда оно появится.',
    unreachable: 'Форма оплаты не отвечает или заблокирована.',
    again: 'Дважды вы не заплатите.',
    unauthorized: 'Срок действия формы истёк. Обновите страницу.',
    unknown: 'Не удалось подтвердить платёж. Спросите магазин, прежде чем платить повторно.',
    retry: 'Попробовать ещё раз',
  },
}

/** Returns the texts for a BCP 47 tag, in English if the tag is unknown, empty, or malformed. */
export function textsFor(tag: string): Texts {
  const [language = ''] = /^(?:hy|ru)\b/i.exec(tag) ?? []
  return translations[language.toLowerCase()] ?? en
}

/** Returns what happened and what the buyer can do. The other errors are for the shop to correct. */
export function errorText({ code, cause, retryable }: CheckoutError, texts: Texts): string {
  if (code === 'status_failed' || code === 'order_mismatch') return texts.unknown
  // The session of the shop has ended.
  if ([401, 403].includes(Object(cause).status)) return texts.unauthorized
  const text = (texts as Partial<Record<CheckoutErrorCode, string>>)[code] ?? texts.unavailable
  return retryable ? `${text} ${texts.again}` : text
}

/** Returns what happened to a payment that has failed. */
export function failureText(reason: string | undefined, texts: Texts): string {
  if (reason === 'refunded') return texts.refunded
  const isKnown = reason === 'canceled' || reason === 'expired'
  return `${texts[isKnown ? reason : 'failed']} ${texts.uncharged}`
}

/** Returns the closest `lang` around an element, also outside of its shadow root. */
export function closestLanguage(element: Element): string {
  const ancestor = element.closest<HTMLElement>('[lang]')
  if (ancestor) return ancestor.lang
  const root = element.getRootNode()
  return root instanceof ShadowRoot ? closestLanguage(root.host) : ''
}
