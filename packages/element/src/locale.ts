/** The texts that the element shows, in English, Armenian, and Russian. @module */

/** The texts of one language. */
export interface Texts {
  readonly title: string
  readonly loading: string
  /** Follows `loading` after five seconds. */
  readonly slow: string
  readonly unavailable: string
  readonly retry: string
}

const en: Texts = {
  title: 'Secure payment form',
  loading: 'Loading the payment form…',
  slow: 'Check your connection.',
  unavailable: 'The payment form is not available right now.',
  retry: 'Try again',
}

const translations: Readonly<Record<string, Texts>> = {
  hy: {
    title: 'Վճարման անվտանգ էջ',
    loading: 'Վճարման էջը բեռնվում է…',
    slow: 'Ստուգեք կապը։',
    unavailable: 'Վճարման էջն այս պահին հասանելի չէ։',
    retry: 'Նորից փորձել',
  },
  ru: {
    title: 'Безопасная форма оплаты',
    loading: 'Форма оплаты загружается…',
    slow: 'Проверьте подключение.',
    unavailable: 'Форма оплаты сейчас недоступна.',
    retry: 'Попробовать ещё раз',
  },
}

/** Returns the texts for a BCP 47 tag, in English if the tag is unknown, empty, or malformed. */
export function textsFor(tag: string): Texts {
  return translations[languageOf(tag)] ?? en
}

/** Returns the closest `lang` around an element, also outside of its shadow root. */
export function closestLanguage(element: Element): string {
  const ancestor = element.closest<HTMLElement>('[lang]')
  if (ancestor) return ancestor.lang
  // Not `instanceof ShadowRoot`, a global that is gone once jsdom has ended. A link's `host` is a string.
  const { host } = element.getRootNode() as Partial<ShadowRoot>
  return typeof host === 'object' ? closestLanguage(host) : ''
}

function languageOf(tag: string): string {
  try {
    return new Intl.Locale(tag).language
  } catch {
    return '' // A malformed tag throws.
  }
}
