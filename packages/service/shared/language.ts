/** Languages of the checkout pages. @module */

export type Language = 'en' | 'hy' | 'ru'

/** Returns the language of a BCP 47 tag, or English if the tag is unsupported or malformed. */
export function languageOf(locale: string): Language {
  try {
    const { language } = new Intl.Locale(locale)
    return language === 'hy' || language === 'ru' ? language : 'en'
  } catch {
    return 'en'
  }
}
