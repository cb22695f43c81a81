/** Sends the built pages of the checkout, with the values that the service passes to them. @module */
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { failCodes } from '@pi-checkout/contract/frame-protocol'
import type { FastifyReply } from 'fastify'
import { languageOf } from '../../shared/language.ts'
import { checkoutHeaders, openPageHeaders } from '../http/page-headers.ts'
import { escapeHtml, page } from '../http/send.ts'
import type { Environment } from '../merchants/environments.ts'
import type { AppOptions } from '../options.ts'
import { hostedFolder } from '../package-root.ts'
import { apartTexts } from './apart-texts.ts'

/** Values of a full page, which otherwise the page around the hosted page sends. */
type FullPage = Readonly<Record<'return' | 'locale' | 'appearance', string>>

/** Sends the hosted page: for a frame in pages of registered origins, or as a full page, which no page may frame. */
export function sendCheckoutPage(
  reply: FastifyReply,
  { publicUrl, challengeUrl, now }: AppOptions,
  { environment, full }: { readonly environment: Environment; readonly full?: FullPage },
): FastifyReply {
  const { allowedOrigins, merchantName, mode } = environment
  const registered = full ? [] : allowedOrigins
  const values = {
    origins: registered.join(' '),
    mode,
    now: now().toISOString(),
    ...full,
  }
  const attributes = Object.entries(values).map(
    ([name, value]) => `data-${name}="${escapeHtml(value)}"`,
  )
  const html = readPage('checkout')
    .replace('lang="en"', `lang="${languageOf(full?.locale ?? '')}"`)
    .replace('data-origins=""', () => attributes.join(' '))
    .replace('<!--content-->', () => (full ? withoutScript(full, merchantName, publicUrl) : ''))
  const headers = checkoutHeaders({
    frameAncestors: registered,
    challengeOrigin: challengeUrl,
    styleSource: styleSource(),
  })
  return page(reply, headers, html)
}

/**
 * Sends a page without a form, in the language of the browser. It is the same one for every cause, and shows the shop's
 * developers the code.
 *
 * @param code - Undefined in a page that is in no frame.
 */
export function sendErrorPage(
  reply: FastifyReply,
  { code, mode = '' }: { readonly code?: (typeof failCodes)[number]; readonly mode?: string },
): FastifyReply {
  const [tag = ''] = reply.request.headers['accept-language']?.split(/[,;]/, 1) ?? []
  const language = languageOf(tag)
  const { closedTitle, closedText, goBack } = apartTexts[language]
  // The page before may be another site's.
  const link = code === 'origin_not_allowed' ? '' : `<a href="" hidden>${goBack}</a>`
  const html = readPage('error')
    .replace('lang="en"', `lang="${language}"`)
    .replace('data-code=""', `data-code="${code ?? ''}" data-mode="${mode}"`)
    .replace(
      '<!--content-->',
      `<main class="apart stack"><h1 class="title">${closedTitle}</h1><p>${closedText}</p>${link}</main>`,
    )
  return page(reply, openPageHeaders, html)
}

const pages = new Map<string, string>()

export function readPage(name: string): string {
  const cached = pages.get(name)
  if (cached) return cached
  const path = join(hostedFolder, `${name}.html`)
  if (!existsSync(path)) {
    throw new Error('The hosted pages are not built. Run `npm run build`, then start again.')
  }
  const html = readFileSync(path, 'utf8')
  pages.set(name, html)
  return html
}

/** What a browser without script shows in place of the form. */
function withoutScript(
  { locale, return: returnUrl }: FullPage,
  merchantName: string,
  origin: string,
): string {
  const { scriptTitle, scriptText, back } = apartTexts[languageOf(locale)]
  return `<noscript>
    <nav class="back"><a href="${escapeHtml(returnUrl)}"><span aria-hidden="true">←</span> ${back}</a></nav>
    <main class="page stack centered">
      <section class="stack"><p class="hint">${escapeHtml(merchantName)}</p><h1 class="title">${scriptTitle}</h1><p>${scriptText.replace('{origin}', origin)}</p></section>
    </main></noscript>`
}

function styleSource(): string {
  const [, rest = ''] = readPage('checkout').split('<style>')
  const [sheet = ''] = rest.split('</style>')
  return `'sha256-${hash('sha256', sheet, 'base64')}'`
}
