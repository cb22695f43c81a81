/**
 * The pages for developers, inspector and documentation: built by Vite, shown in no frame.
 *
 * @module
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The protecting headers of such a page. */
export function toolPageHeaders(publicUrl: string): Record<string, string> {
  return {
    'Content-Security-Policy': policy,
    'Reporting-Endpoints': `csp="${publicUrl}/checkout-api/reports"`,
    'X-Frame-Options': 'DENY',
    'Permissions-Policy':
      'camera=(), microphone=(), geolocation=(), clipboard-read=(), display-capture=()',
    'Origin-Agent-Cluster': '?1',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
  }
}

/** Reads a built page. */
export async function readToolPage(folder: string, name: 'inspector' | 'docs'): Promise<string> {
  try {
    return await readFile(join(folder, `${name}.html`), 'utf8')
  } catch {
    throw new Error('The hosted pages are not built: run `npm run build` and start again')
  }
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "frame-src 'none'",
  "form-action 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types lit-html',
  'report-to csp',
].join('; ')
