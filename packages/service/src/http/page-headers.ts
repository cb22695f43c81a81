/**
 * Security headers of the pages: which origins may frame them, and what they may load.
 *
 * @module
 */

/** Returns the headers of the hosted page, without `X-Frame-Options`, which cannot list several origins. */
export function checkoutHeaders({
  challengeOrigin,
  frameAncestors,
  publicOrigin,
}: {
  readonly challengeOrigin: string
  readonly frameAncestors: readonly string[]
  readonly publicOrigin: string
}): Record<string, string> {
  return {
    'content-security-policy': policy({
      ...loads,
      'connect-src': "'self'",
      'frame-src': challengeOrigin,
      'form-action': `'self' ${challengeOrigin}`,
      ...locks,
      'frame-ancestors': sources(frameAncestors),
      ...trustedTypes,
      'report-to': 'csp',
    }),
    'reporting-endpoints': `csp="${publicOrigin}/checkout-api/reports"`,
    'cross-origin-opener-policy': 'same-origin',
    'origin-agent-cluster': '?1',
    ...common,
  }
}

/** Returns the headers of the error page. Any page may frame it, because it contains no data and no action. */
export function errorPageHeaders(): Record<string, string> {
  return {
    'content-security-policy': policy({
      ...loads,
      'form-action': "'none'",
      ...locks,
      'frame-ancestors': '*',
      ...trustedTypes,
    }),
    'cross-origin-opener-policy': 'same-origin',
    'origin-agent-cluster': '?1',
    ...common,
  }
}

/** Returns the headers of the test bank's page in an iframe of the hosted page. */
export function framedChallengeHeaders(origins: ChallengeOrigins): Record<string, string> {
  // Browsers check each ancestor. Chromium also checks redirects of a form post (w3c/webappsec-csp#8).
  const ancestors = [origins.checkoutOrigin, ...origins.registered]
  // The page's script posts the code, because a form post in an iframe adds an entry to the shop's history.
  const connect = { 'connect-src': "'self'" }
  return { 'content-security-policy': challengePolicy(origins, ancestors, connect), ...common }
}

/** Returns the headers of the test bank's page as a separate page, which no page may frame. */
export function fullChallengeHeaders(origins: ChallengeOrigins): Record<string, string> {
  return {
    'content-security-policy': challengePolicy(origins, [], {}),
    'x-frame-options': 'DENY',
    ...common,
  }
}

/** Origins that take part in a challenge. */
export interface ChallengeOrigins {
  readonly checkoutOrigin: string
  readonly registered: readonly string[]
}

/** Returns the headers of the inspector and the documentation, which no page may frame. */
export function toolPageHeaders(publicOrigin: string): Record<string, string> {
  return {
    'content-security-policy': policy({
      ...loads,
      'connect-src': "'self'",
      'frame-src': "'none'",
      'form-action': "'self'",
      ...locks,
      'frame-ancestors': "'none'",
      ...trustedTypes,
      'report-to': 'csp',
    }),
    'reporting-endpoints': `csp="${publicOrigin}/checkout-api/reports"`,
    'x-frame-options': 'DENY',
    'origin-agent-cluster': '?1',
    'cross-origin-opener-policy': 'same-origin',
    ...common,
  }
}

/**
 * Returns the headers of the playground. Its page is on localhost and its fake hosted pages are on 127.0.0.1,
 * so one port serves two sites.
 */
export function playgroundHeaders(file: string): Record<string, string> {
  return {
    'content-security-policy': policy({
      ...{ 'default-src': "'none'", 'script-src': "'self'", 'style-src': "'self'" },
      ...locks,
      'form-action': "'self'",
      ...trustedTypes,
      ...(file.includes('fake-')
        ? { 'frame-ancestors': 'http://localhost:*' }
        : { 'frame-src': 'http://127.0.0.1:*', 'frame-ancestors': "'none'" }),
    }),
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
  }
}

const loads = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
}

const locks = {
  'base-uri': "'none'",
  'object-src': "'none'",
}

const trustedTypes = {
  'require-trusted-types-for': "'script'",
  'trusted-types': 'lit-html',
}

const common = {
  'permissions-policy':
    'camera=(), microphone=(), geolocation=(), clipboard-read=(), display-capture=()',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

function challengePolicy(
  { checkoutOrigin, registered }: ChallengeOrigins,
  frameAncestors: readonly string[],
  connect: Readonly<Record<string, string>>,
): string {
  return policy({
    ...loads,
    ...connect,
    'form-action': ["'self'", checkoutOrigin, ...registered].join(' '),
    ...locks,
    'frame-ancestors': sources(frameAncestors),
    ...trustedTypes,
  })
}

function sources(origins: readonly string[]): string {
  return origins.length > 0 ? origins.join(' ') : "'none'"
}

function policy(directives: Readonly<Record<string, string>>): string {
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}
