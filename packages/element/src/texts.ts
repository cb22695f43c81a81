/** The texts that the element shows, in English, Armenian, and Russian. @module */

import type { CheckoutError, CheckoutErrorCode } from './errors.ts'

export interface Texts {
  readonly title: string
  /** After eight seconds. */
  readonly loading: string
  readonly unavailable: string
  readonly offline: string
  readonly unreachable: string
  readonly again: string
  readonly unauthorized: string
  readonly retry: string
}

const en: Texts = {
  title: 'Secure payment form',
  loading: 'This takes longer than usual…',
  unavailable: 'The payment form is not available right now.',
  offline: 'You are offline. The form loads when you are online.',
  unreachable: 'The payment form does not respond, or is blocked.',
  again: 'You pay only once.',
  unauthorized: 'This payment form has expired. Reload the page.',
  retry: 'Try again',
}

const translations: Readonly<Record<string, Texts>> = {
  hy: {
    title: 'Վճարման անվտանգ էջ',
    loading: 'Սա սովորականից երկար է տևում…',
    unavailable: 'Վճարման էջն այս պահին հասանելի չէ։',
    offline: 'Կապ չկա։ Էջը կբեռնվի, երբ կապը վերականգնվի։',
    unreachable: 'Վճարման էջը չի պատասխանում կամ արգելափակված է։',
    again: 'Երկու անգամ չեք վճարի։',
    unauthorized: 'Վճարման էջի ժամկետն անցել է։ Թարմացրեք էջը։',
    retry: 'Նորից փորձել',
  },
  ru: {
    title: 'Безопасная форма оплаты',
    loading: 'Загрузка идёт дольше обычного…',
    unavailable: 'Форма оплаты сейчас недоступна.',
    offline: 'Нет подключения. Форма загрузится, когда оно появится.',
    unreachable: 'Форма оплаты не отвечает или заблокирована.',
    again: 'Дважды вы не заплатите.',
    unauthorized: 'Срок действия формы истёк. Обновите страницу.',
    retry: 'Попробовать ещё раз',
  },
}

/** Returns the texts for a BCP 47 tag, in English if the tag is unknown, empty, or malformed. */
export function textsFor(tag: string): Texts {
  const [language = ''] = /^(?:hy|ru)\b/i.exec(tag) ?? []
  return translations[language.toLowerCase()] ?? en
}

/** Returns what happened and what the buyer can do. The other errors are for the shop to correct. */
export function errorText({ code, retryable }: CheckoutError, texts: Texts): string {
  const text = (texts as Partial<Record<CheckoutErrorCode, string>>)[code] ?? texts.unavailable
  return retryable ? `${text} ${texts.again}` : text
}

/** Returns the closest `lang` around an element, also outside of its shadow root. */
export function closestLanguage(element: Element): string {
  const ancestor = element.closest<HTMLElement>('[lang]')
  if (ancestor) return ancestor.lang
  // Not `instanceof ShadowRoot`, a global that is gone once jsdom has ended. A link's `host` is a string.
  const { host } = element.getRootNode() as Partial<ShadowRoot>
  return typeof host === 'object' ? closestLanguage(host) : ''
}
