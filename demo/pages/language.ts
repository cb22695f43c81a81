/**
 * The page's language, as the server chose it for this visitor.
 *
 * @module
 */
import { en, type Texts } from './texts/en.ts'
import { hy } from './texts/hy.ts'
import { ru } from './texts/ru.ts'

/** Each language under its own name. */
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
