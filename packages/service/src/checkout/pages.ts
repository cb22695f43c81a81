/** Reads the built pages, and adds the values that the service passes to them. @module */
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { failCodes } from '@pi-checkout/contract/frame-protocol'
import { type Currency, formatMoney } from '@pi-checkout/contract/money'
import { type Language, languageOf } from '../../shared/language.ts'
import { escapeHtml } from '../http/html.ts'
import { apartTexts } from './apart-texts.ts'

export function checkoutPage(
  folder: string,
  {
    registered,
    mode,
    now,
    full,
    order,
  }: {
    readonly registered: readonly string[]
    readonly mode: string
    readonly now: Date
    /** Values that the page around the hosted page sends otherwise. */
    readonly full?: Readonly<Record<'return' | 'locale' | 'appearance', string>>
    /** What a separate page shows without script. */
    readonly order?: Order
  },
): string {
  const language = languageOf(full?.locale ?? '')
  const values = { origins: registered.join(' '), mode, now: now.toISOString(), ...full }
  const attributes = Object.entries(values).map(
    ([name, value]) => `data-${name}="${escapeHtml(value)}"`,
  )
  return readPage(folder, 'checkout')
    .replace('lang="en"', `lang="${language}"`)
    .replace('data-origins=""', () => attributes.join(' '))
    .replace('<!--content-->', () => (full && order ? withoutScript(language, full, order) : ''))
}

/** The order of a separate page. */
export interface Order {
  readonly merchantName: string
  readonly orderId: string
  readonly amount: number
  readonly currency: Currency
  readonly checkoutOrigin: string
}

/** What a browser without script shows in place of the form, with the form's summary. */
function withoutScript(
  language: Language,
  full: Readonly<Record<'return', string>>,
  { merchantName, orderId, amount, currency, checkoutOrigin }: Order,
): string {
  const { scriptTitle, scriptText, order, back } = apartTexts[language]
  const name = escapeHtml(merchantName)
  return `<noscript>
    <nav class="back"><a href="${escapeHtml(full.return)}"><span aria-hidden="true">←</span> ${back}</a></nav>
    <main class="page stack centered">
      <header class="summary">
        <div class="merchant"><p><bdi>${name}</bdi></p><p class="hint">${order} <bdi>${escapeHtml(orderId)}</bdi></p></div>
        <p class="amount">${escapeHtml(formatMoney(amount, currency, language))}</p>
      </header>
      <section class="stack"><h1 class="title">${scriptTitle}</h1><p>${scriptText.replace('{origin}', checkoutOrigin)}</p></section>
    </main></noscript>`
}

/** A page without a form: what has happened, and what to do. */
function apart(title: string, content: string): string {
  return `<main class="apart stack"><h1 class="title">${title}</h1>${content}</main>`
}

export function checkoutStyleSource(folder: string): string {
  const [, rest = ''] = readPage(folder, 'checkout').split('<style>')
  const [sheet = ''] = rest.split('</style>')
  return `'sha256-${hash('sha256', sheet, 'base64')}'`
}

export function errorPage(
  folder: string,
  {
    code,
    mode = '',
    languages = '',
    isAlone = false,
  }: {
    /** Undefined in a page that is in no frame. */
    readonly code?: (typeof failCodes)[number]
    /** A payment has this id, but the page is in no frame. */
    readonly isAlone?: boolean
    readonly mode?: string
    /** What the browser accepts, as in `Accept-Language`. */
    readonly languages?: string | undefined
  },
): string {
  const [tag = ''] = languages.split(/[,;]/, 1)
  const language = languageOf(tag)
  const texts = apartTexts[language]
  const isClosed = code === 'origin_not_allowed'
  const [title, text] = isAlone ? texts.alone : isClosed ? texts.closed : texts.missing
  const link = isClosed ? '' : `<p><a href="" hidden>${texts.goBack}</a></p>`
  return readPage(folder, 'error')
    .replace('lang="en"', `lang="${language}"`)
    .replace('data-code=""', `data-code="${code ?? ''}" data-mode="${mode}"`)
    .replace('<!--content-->', () => apart(title, `<p>${text}</p>${link}`))
}

const pages = new Map<string, string>()

export function readPage(folder: string, name: string): string {
  const path = join(folder, `${name}.html`)
  const cached = pages.get(path)
  if (cached) return cached
  if (!existsSync(path)) {
    throw new Error('The hosted pages are not built. Run `npm run build`, then start again.')
  }
  const page = readFileSync(path, 'utf8')
  pages.set(path, page)
  return page
}
