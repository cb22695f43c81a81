/**
 * The languages of the checkout's pages. Browser code reads this file too.
 *
 * @module
 */

export type Language = 'en' | 'hy' | 'ru'

/** Picks the language of a BCP 47 tag; one that we do not speak, or a malformed one, reads English. */
export function languageOf(locale: string): Language {
  try {
    const { language } = new Intl.Locale(locale)
    return language === 'hy' || language === 'ru' ? language : 'en'
  } catch {
    return 'en'
  }
}
