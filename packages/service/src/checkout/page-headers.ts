/**
 * The headers of the pages that a browser shows: what may frame them, and what they may load.
 *
 * @module
 */

/** The hosted page's headers. No `X-Frame-Options`: it cannot name several origins. */
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
    'Content-Security-Policy': policy({
      ...loads,
      'connect-src': "'self'",
      'frame-src': challengeOrigin,
      'form-action': `'self' ${challengeOrigin}`,
      ...locks,
      'frame-ancestors': sources(frameAncestors),
      ...trustedTypes,
      'report-to': 'csp',
    }),
    'Reporting-Endpoints': `csp="${publicOrigin}/checkout-api/reports"`,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Origin-Agent-Cluster': '?1',
    ...common,
  }
}

/** The error page's headers: any page may frame it, because it holds no data and no action. */
export function refusalHeaders(): Record<string, string> {
  return {
    'Content-Security-Policy': policy({
      ...loads,
      'form-action': "'none'",
      ...locks,
      'frame-ancestors': '*',
      ...trustedTypes,
    }),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Origin-Agent-Cluster': '?1',
    ...common,
  }
}

/** The issuer's page in a frame of the hosted page, which is in a frame of the shop. */
export function framedChallengeHeaders(origins: ChallengeOrigins): Record<string, string> {
  // Every ancestor is checked, and in Chromium every redirect of a form post (w3c/webappsec-csp#8).
  const ancestors = [origins.checkoutOrigin, ...origins.registered]
  // Its script posts the code: a form's post in a frame would add an entry to the shop's history.
  const connect = { 'connect-src': "'self'" }
  return { 'Content-Security-Policy': challengePolicy(origins, ancestors, connect), ...common }
}

/** The issuer's page as a page of its own: nobody may frame it. */
export function fullChallengeHeaders(origins: ChallengeOrigins): Record<string, string> {
  return {
    'Content-Security-Policy': challengePolicy(origins, [], {}),
    'X-Frame-Options': 'DENY',
    ...common,
  }
}

/** Who takes part in a challenge. */
export interface ChallengeOrigins {
  readonly checkoutOrigin: string
  readonly registered: readonly string[]
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
  'Permissions-Policy':
    'camera=(), microphone=(), geolocation=(), clipboard-read=(), display-capture=()',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
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
