/** The shop's texts in each language. A key that a language lacks does not compile. @module */
import { en, type Texts } from './en.ts'
import { hy } from './hy.ts'
import { ru } from './ru.ts'

export type { Texts }

export const texts = { en, hy, ru } as const satisfies Readonly<Record<string, Texts>>

/** Names of the languages, each in its language. */
export const languageNames = {
  en: 'English',
  hy: 'Հայերեն',
  ru: 'Русский',
} as const satisfies Record<keyof typeof texts, string>
