/**
 * The languages of the checkout's pages.
 *
 * @module
 */

export type Language = 'en' | 'hy' | 'ru'

/** Picks the language of a BCP 47 tag; English for another language and for a malformed tag. */
export function languageOf(locale: string): Language {
  try {
    const { language } = new Intl.Locale(locale)
    return language === 'hy' || language === 'ru' ? language : 'en'
  } catch {
    return 'en'
  }
}
