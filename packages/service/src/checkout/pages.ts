/** Reads the built pages, and adds the values that the service passes to them. @module */
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { failCodes } from '@pi-checkout/contract/frame-protocol'
import { escapeHtml } from '../http/html.ts'

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
  const values = { origins: registered.join(' '), mode, now: now.toISOString(), ...full }
  const attributes = Object.entries(values).map(
    ([name, value]) => `data-${name}="${escapeHtml(value)}"`,
  )
  return readPage(folder, 'checkout').replace('data-origins=""', () => attributes.join(' '))
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
  { code, mode = '' }: { readonly code: (typeof failCodes)[number]; readonly mode?: string },
): string {
  return readPage(folder, 'error').replace(
    'data-code=""',
    () => `data-code="${code}" data-mode="${mode}"`,
  )
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
