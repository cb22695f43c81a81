/**
 * The few texts that the element shows, in English, Armenian and Russian.
 *
 * @module
 */

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
    title: 'Վճարման անվտանգ ձև',
    loading: 'Վճարման ձևը բեռնվում է…',
    slow: 'Ստուգեք ձեր կապը։',
    unavailable: 'Վճարման ձևն այս պահին հասանելի չէ։',
    retry: 'Փորձել կրկին',
  },
  ru: {
    title: 'Безопасная форма оплаты',
    loading: 'Форма оплаты загружается…',
    slow: 'Проверьте подключение.',
    unavailable: 'Форма оплаты сейчас недоступна.',
    retry: 'Повторить',
  },
}

/** Returns the texts for a BCP 47 tag; English for one that is unknown, empty or malformed. */
export function textsFor(tag: string): Texts {
  return translations[languageOf(tag)] ?? en
}

/** Returns the language that the page gives this element: the closest `lang`, shadow roots crossed. */
export function closestLanguage(element: Element): string {
  const holder = element.closest<HTMLElement>('[lang]')
  if (holder) return holder.lang
  const root = element.getRootNode()
  return root instanceof ShadowRoot ? closestLanguage(root.host) : ''
}

function languageOf(tag: string): string {
  try {
    return new Intl.Locale(tag).language
  } catch {
    return '' // A malformed tag throws; a buyer's page must not.
  }
}
