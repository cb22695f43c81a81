/** Checks the headers of a shop's page that affect the hosted checkout. @module */

/** A page, and the checkout that it shows. */
export interface CheckedPage {
  readonly url: string
  readonly headers: Headers
  readonly html: string
  readonly checkoutOrigin: string
}

/** Result of one check. */
export interface PolicyFinding {
  readonly name: string
  readonly level: 'ok' | 'warn' | 'fail'
  readonly detail: string
}

/** Checks everything that can block the checkout in a page. */
export function checkPage(page: CheckedPage): PolicyFinding[] {
  return [checkPolicy(page), checkReferrer(page), checkIsolation(page)]
}

function checkPolicy({ url, headers, html, checkoutOrigin }: CheckedPage): PolicyFinding {
  const name = 'page policy'
  const policies = readPolicies(headers.get('content-security-policy') ?? '')
  if (policies.length === 0) {
    const detail =
      'has no Content-Security-Policy, so an injected script can replace the payment form. Send the value of cspFor({ checkoutOrigin }).'
    return { name, level: 'warn', detail }
  }
  const required = [{ directive: 'frame-src', blocked: 'the frame of the checkout' }]
  if (/\/(?:v1\/pi-checkout|pi-checkout-[\d.]+)\.js/.test(html)) {
    required.push({ directive: 'script-src', blocked: 'pi-checkout.js' })
  }
  for (const { directive, blocked } of required) {
    const allows = ({ sources }: Policy): boolean =>
      sources(directive)?.some((source) => matches(source, { target: checkoutOrigin, url })) ?? true
    if (!policies.every(allows)) {
      const detail = `blocks ${blocked}. Add ${directive} ${checkoutOrigin}.`
      return { name, level: 'fail', detail }
    }
  }
  return { name, level: 'ok', detail: `allows ${checkoutOrigin}` }
}

function checkReferrer({ headers }: CheckedPage): PolicyFinding {
  const name = 'page referrer'
  const policy = (headers.get('referrer-policy') ?? '').split(',').at(-1)?.trim()
  if (policy !== 'no-referrer' && policy !== 'same-origin') {
    return { name, level: 'ok', detail: 'sends the origin of the page to the checkout' }
  }
  const detail = `is ${policy}, so the checkout cannot show why it rejects the page. Send strict-origin-when-cross-origin.`
  return { name, level: 'warn', detail }
}

function checkIsolation({ headers }: CheckedPage): PolicyFinding {
  const name = 'page isolation'
  const embedder = headers.get('cross-origin-embedder-policy')
  if (embedder === null || embedder === 'unsafe-none') {
    return { name, level: 'ok', detail: 'is not cross-origin isolated' }
  }
  const detail = `has Cross-Origin-Embedder-Policy: ${embedder}, which blocks the checkout. Remove it on this page.`
  return { name, level: 'fail', detail }
}

interface Policy {
  /** Sources of a fetch directive or its fallbacks; `undefined` without a restriction. */
  readonly sources: (directive: string) => readonly string[] | undefined
}

const fallbacks: Readonly<Record<string, readonly string[]>> = {
  'frame-src': ['frame-src', 'child-src', 'default-src'],
  'script-src': ['script-src-elem', 'script-src', 'default-src'],
}

function readPolicies(header: string): Policy[] {
  return header.split(',').flatMap((text) => {
    const directives = new Map<string, readonly string[]>()
    for (const part of text.split(';')) {
      const [directive, ...values] = part.trim().split(/\s+/)
      const name = directive?.toLowerCase()
      // The first one applies.
      if (name && !directives.has(name)) directives.set(name, values)
    }
    if (directives.size === 0) return []
    const sources = (directive: string): readonly string[] | undefined => {
      const found = fallbacks[directive]?.find((name) => directives.has(name))
      return found === undefined ? undefined : directives.get(found)
    }
    return [{ sources }]
  })
}

/** @see Content Security Policy Level 3, §6.7.2.8 */
function matches(
  source: string,
  { target, url }: { readonly target: string; readonly url: string },
): boolean {
  const { origin, protocol, hostname, port } = new URL(target)
  if (source === "'self'") return new URL(url).origin === origin
  if (source === '*') return true
  const [, scheme] = /^([a-z][a-z\d+.-]*):$/i.exec(source) ?? []
  if (scheme) return `${scheme.toLowerCase()}:` === protocol
  const [, sourceScheme, host = '', sourcePort] =
    /^(?:([a-z][a-z\d+.-]*):\/\/)?([^:/]+|\[[^\]]+\])(?::(\d+|\*))?(?:\/.*)?$/i.exec(source) ?? []
  const expected = sourceScheme ?? new URL(url).protocol.slice(0, -1)
  if (`${expected.toLowerCase()}:` !== protocol) return false
  const sameHost = host.startsWith('*.')
    ? hostname.endsWith(host.slice(1))
    : host.toLowerCase() === hostname
  const usual = protocol === 'https:' ? '443' : '80'
  return sameHost && (sourcePort === '*' || (sourcePort ?? usual) === (port || usual))
}
