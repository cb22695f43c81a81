/** Security headers of the pages: which origins may frame them, and what they may load. @module */

/** Returns the headers of the hosted page, without `X-Frame-Options`, which cannot list several origins. */
export function checkoutHeaders({
  challengeOrigin,
  frameAncestors,
  publicOrigin,
  styleSource,
}: {
  readonly challengeOrigin: string
  readonly frameAncestors: readonly string[]
  readonly publicOrigin: string
  /** Source expression of the style sheet inside the page. */
  readonly styleSource: string
}): Record<string, string> {
  const own = {
    'style-src': styleSource,
    'connect-src': "'self'",
    'frame-src': challengeOrigin,
    'form-action': `'self' ${challengeOrigin}`,
  }
  return {
    ...pageHeaders(own, { ancestors: sources(frameAncestors), reportsTo: publicOrigin }),
    ...isolated,
  }
}

export interface ChallengeOrigins {
  readonly checkoutOrigin: string
  readonly registered: readonly string[]
}

export function framedChallengeHeaders(origins: ChallengeOrigins): Record<string, string> {
  // The page's script posts the code, because a form post in an iframe adds an entry to the shop's history.
  const own = { 'connect-src': "'self'", 'form-action': formTargets(origins) }
  // Browsers check each ancestor. Chromium also checks redirects of a form post (w3c/webappsec-csp#8).
  return pageHeaders(own, { ancestors: sources([origins.checkoutOrigin, ...origins.registered]) })
}

export function fullChallengeHeaders(origins: ChallengeOrigins): Record<string, string> {
  const own = { 'form-action': formTargets(origins) }
  return { ...pageHeaders(own, { ancestors: "'none'" }), 'x-frame-options': 'DENY' }
}

/** Returns the headers of the inspector and the documentation, which no page may frame. */
export function toolPageHeaders(publicOrigin: string): Record<string, string> {
  const own = { 'connect-src': "'self'", 'frame-src': "'none'", 'form-action': "'self'" }
  return {
    ...pageHeaders(own, { ancestors: "'none'", reportsTo: publicOrigin }),
    'x-frame-options': 'DENY',
    ...isolated,
  }
}

/**
 * Returns the headers of the playground. Its page is on localhost and its fake hosted pages are on 127.0.0.1,
 * so one port serves two sites.
 */
export function playgroundHeaders(file: string): Record<string, string> {
  const isHostedPage = file.includes('fake-')
  const own = {
    'frame-src': isHostedPage ? "'none'" : 'http://127.0.0.1:*',
    'form-action': "'self'",
  }
  return pageHeaders(own, { ancestors: isHostedPage ? 'http://localhost:*' : "'none'" })
}

const locks = { 'base-uri': "'none'", 'object-src': "'none'" }

const trustedTypes = {
  'require-trusted-types-for': "'script'",
  'trusted-types': 'lit-html',
}

/** Keeps the page out of the process and the reach of pages of other origins. */
const isolated = { 'cross-origin-opener-policy': 'same-origin', 'origin-agent-cluster': '?1' }

/** Headers of pages that any page may frame, because they contain no data and no action. */
export const openPageHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders({ 'form-action': "'none'" }, { ancestors: '*' }),
  ...isolated,
}

/** @param more - `ancestors`: pages that may frame it · `reportsTo`: origin that gets reports. */
function pageHeaders(
  own: Readonly<Record<string, string>>,
  { ancestors, reportsTo }: { readonly ancestors: string; readonly reportsTo?: string },
): Record<string, string> {
  return {
    'content-security-policy': policy({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self'",
      'font-src': "'self'",
      ...own,
      ...locks,
      'frame-ancestors': ancestors,
      ...trustedTypes,
      ...(reportsTo !== undefined && { 'report-to': 'csp' }),
    }),
    ...(reportsTo !== undefined && {
      'reporting-endpoints': `csp="${reportsTo}/checkout-api/reports"`,
    }),
    'permissions-policy':
      'camera=(), microphone=(), geolocation=(), clipboard-read=(), display-capture=()',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  }
}

function formTargets({ checkoutOrigin, registered }: ChallengeOrigins): string {
  return ["'self'", checkoutOrigin, ...registered].join(' ')
}

function sources(origins: readonly string[]): string {
  return origins.length > 0 ? origins.join(' ') : "'none'"
}

function policy(directives: Readonly<Record<string, string>>): string {
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}
