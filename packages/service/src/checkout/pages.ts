/** Reads the built pages, and adds the values that the service passes to them. @module */
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { failCodes } from '@pi-checkout/contract/frame-protocol'
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
  }: {
    readonly registered: readonly string[]
    readonly mode: string
    readonly now: Date
    /** Values that the page around the hosted page sends otherwise. */
    readonly full?: Readonly<Record<'return' | 'locale' | 'appearance', string>>
  },
): string {
  const { return: returnUrl = '', locale = '' } = full ?? {}
  const language = languageOf(locale)
  const values = { origins: registered.join(' '), mode, now: now.toISOString(), ...full }
  const attributes = Object.entries(values).map(
    ([name, value]) => `data-${name}="${escapeHtml(value)}"`,
  )
  return readPage(folder, 'checkout')
    .replace('lang="en"', `lang="${language}"`)
    .replace('data-origins=""', () => attributes.join(' '))
    .replace('<!--content-->', () => (full ? withoutScript(language, returnUrl) : ''))
}

/** What a browser without script shows in place of the form. */
function withoutScript(language: Language, returnUrl: string): string {
  const { scriptTitle, scriptText, back } = apartTexts[language]
  const link = `<p><a href="${escapeHtml(returnUrl)}">${back}</a></p>`
  return `<noscript>${apart(scriptTitle, `<p>${scriptText}</p>${link}`)}</noscript>`
}

/** A page without a form: the name of the service, what has happened, and what to do. */
function apart(title: string, content: string): string {
  return `<main class="apart stack"><p class="hint">pi-checkout</p><h1>${title}</h1>${content}</main>`
}

export function checkoutStyleSource(folder: string): string {
  const page = readPage(folder, 'checkout')
  const known = styleSources.get(page)
  if (known) return known
  const [, rest = ''] = page.split('<style>')
  const [sheet = ''] = rest.split('</style>')
  const source = `'sha256-${hash('sha256', sheet, 'base64')}'`
  styleSources.set(page, source)
  return source
}

const styleSources = new Map<string, string>()

export function errorPage(
  folder: string,
  {
    code,
    mode = '',
    languages = '',
  }: {
    /** Undefined in a page that is in no frame. */
    readonly code?: (typeof failCodes)[number]
    readonly mode?: string
    /** What the browser accepts, as in `Accept-Language`. */
    readonly languages?: string | undefined
  },
): string {
  const [tag = ''] = languages.split(/[,;]/, 1)
  const language = languageOf(tag)
  const { closedTitle, closedText } = apartTexts[language]
  return readPage(folder, 'error')
    .replace('lang="en"', `lang="${language}"`)
    .replace('data-code=""', `data-code="${code ?? ''}" data-mode="${mode}"`)
    .replace('<!--content-->', apart(closedTitle, `<p>${closedText}</p>`))
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
