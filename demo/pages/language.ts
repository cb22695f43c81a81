/** The page's language, which the server selected. @module */
import { en, type Texts } from './texts/en.ts'
import { hy } from './texts/hy.ts'
import { ru } from './texts/ru.ts'

/** Names of the languages, each in its language. */
export const languageNames: Readonly<Record<string, string>> = {
  en: 'English',
  hy: 'Հայերեն',
  ru: 'Русский',
}

const languages: ReadonlyMap<string, Texts> = new Map([
  ['en', en],
  ['hy', hy],
  ['ru', ru],
])

export const texts: Texts = languages.get(document.documentElement.lang) ?? en
