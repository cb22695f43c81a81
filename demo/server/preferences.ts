/** Language and price list of a session: the chosen ones, otherwise the browser's language. @module */
import { type Currency, isCurrency } from '@pi-checkout/server'
import type { Request } from 'express'
import { type Language, languages } from './catalogue.ts'
import type { Database } from './database.ts'

export interface Preferences {
  readonly language: Language
  readonly currency: Currency
}

export function preferencesOf(db: Database, req: Request, session: string): Preferences {
  const chosen = db
    .prepare('select language, currency from preferences where session = ?')
    .get(session) as { language: string | null; currency: string | null } | undefined
  const wanted = chosen?.language ?? req.acceptsLanguages(...languages)
  return {
    language: languages.find((language) => language === wanted) ?? 'en',
    currency: isCurrency(chosen?.currency) ? chosen.currency : 'AMD',
  }
}

export function savePreferences(
  db: Database,
  session: string,
  { language, currency }: { readonly [name in keyof Preferences]?: Preferences[name] | undefined },
): void {
  db.prepare(
    `insert into preferences (session, language, currency) values (?, ?, ?)
     on conflict (session) do update set
       language = coalesce(excluded.language, language),
       currency = coalesce(excluded.currency, currency)`,
  ).run(session, language ?? null, currency ?? null)
}
