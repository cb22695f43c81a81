/** Security headers of the pages: which origins may frame them, and what they may load. @module */

/** Source expression of the ancestors of a page that no page may frame. */
const noPage = "'none'"

/** Returns the headers of the hosted page. */
export function checkoutHeaders({
  challengeOrigin,
  frameAncestors,
  styleSource,
}: {
  readonly challengeOrigin: string
  readonly frameAncestors: readonly string[]
  /** Source expression of the style sheet inside the page. */
  readonly styleSource: string
}): Record<string, string> {
  const own = {
    'style-src': styleSource,
    'connect-src': "'self'",
    'frame-src': challengeOrigin,
    'form-action': `'self' ${challengeOrigin}`,
  }
  const ancestors = frameAncestors.join(' ') || noPage
  return { ...pageHeaders(own, ancestors), ...isolated }
}

/** Returns the headers of the test bank's page. As a separate page, no page may frame it. */
export function challengeHeaders(
  display: 'challenge' | 'redirect',
  origins: readonly string[],
): Record<string, string> {
  // Chromium also checks redirects of a form post (w3c/webappsec-csp#8).
  const formAction = { 'form-action': ["'self'", ...origins].join(' ') }
  if (display === 'redirect') return pageHeaders(formAction, noPage)
  // The page's script posts the code, because a form post in an iframe adds an entry to the shop's history.
  // Browsers check each ancestor.
  return pageHeaders({ 'connect-src': "'self'", ...formAction }, origins.join(' '))
}

/** Keeps the page out of the process and the reach of pages of other origins. */
const isolated = { 'cross-origin-opener-policy': 'same-origin', 'origin-agent-cluster': '?1' }

/** Headers of the inspector and the documentation, which no page may frame. */
export const toolPageHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders({ 'connect-src': "'self'", 'form-action': "'self'" }, noPage),
  ...isolated,
}

/** Headers of pages that any page may frame, because they contain no data and no action. */
export const openPageHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders({ 'form-action': "'none'" }, '*'),
  ...isolated,
}

/** @param ancestors - Pages that may frame it. */
function pageHeaders(
  own: Readonly<Record<string, string>>,
  ancestors: string,
): Record<string, string> {
  return {
    'content-security-policy': policy({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self'",
      // The one font is in the style sheets.
      'font-src': 'data:',
      ...own,
      'base-uri': "'none'",
      'object-src': "'none'",
      'frame-ancestors': ancestors,
      'require-trusted-types-for': "'script'",
      'trusted-types': 'lit-html',
    }),
    'permissions-policy':
      'camera=(), microphone=(), geolocation=(), clipboard-read=(), display-capture=()',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    // It cannot list several origins.
    ...(ancestors === noPage && { 'x-frame-options': 'DENY' }),
  }
}

function policy(directives: Readonly<Record<string, string>>): string {
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}
