/**
 * The built pages, read once, and the few values that the service writes into them.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { failCodes } from '@pi-checkout/contract/frame-protocol'
import { escapeHtml } from '../http/html.ts'

/** The hosted page with the origins that it may shake hands with, and the service's time. */
export function checkoutPage(
  folder: string,
  {
    registered,
    mode,
    now,
  }: { readonly registered: readonly string[]; readonly mode: string; readonly now: Date },
): string {
  const list = escapeHtml(registered.join(' '))
  return readPage(folder, 'checkout').replace(
    'data-origins=""',
    () => `data-origins="${list}" data-mode="${mode}" data-now="${now.toISOString()}"`,
  )
}

/** The page without form and data: only the reason, and the mode of a known intent's environment. */
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

/** Reads a built page, once. */
export function readPage(folder: string, name: string): string {
  const path = join(folder, `${name}.html`)
  const known = pages.get(path)
  if (known) return known
  if (!existsSync(path)) {
    throw new Error('The hosted pages are not built: run `npm run build` and start again')
  }
  const page = readFileSync(path, 'utf8')
  pages.set(path, page)
  return page
}
