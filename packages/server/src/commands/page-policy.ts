/**
 * What the headers of a shop's page mean for the hosted checkout in it.
 *
 * @module
 */

/** A page as it came, and the checkout that it is to show. */
export interface ShownPage {
  readonly url: string
  readonly headers: Headers
  readonly html: string
  readonly checkoutOrigin: string
}

/** One thing that was looked at. `warn` stands in nobody's way today. */
export interface Finding {
  readonly name: string
  readonly level: 'ok' | 'warn' | 'fail'
  readonly detail: string
}

/** Looks at everything that can keep the checkout out of a page. */
export function examinePage(page: ShownPage): Finding[] {
  return [examinePolicy(page), examineReferrer(page), examineIsolation(page)]
}

function examinePolicy({ url, headers, html, checkoutOrigin }: ShownPage): Finding {
  const name = 'page policy'
  const policies = readPolicies(headers.get('content-security-policy') ?? '')
  if (policies.length === 0) {
    const detail =
      'the page sends no Content-Security-Policy: any script that gets in can replace the payment form; send the value of cspFor({ checkoutOrigin })'
    return { name, level: 'warn', detail }
  }
  const fetches = [{ directive: 'frame-src', why: 'frame the checkout' }]
  if (html.includes(`${checkoutOrigin}/pi-checkout.js`)) {
    fetches.push({ directive: 'script-src', why: 'load pi-checkout.js' })
  }
  for (const { directive, why } of fetches) {
    const allows = ({ sources }: Policy): boolean =>
      sources(directive)?.some((source) => matches(source, { target: checkoutOrigin, url })) ?? true
    if (!policies.every(allows)) {
      const detail = `the policy does not let the page ${why}; add ${directive} ${checkoutOrigin}`
      return { name, level: 'fail', detail }
    }
  }
  const typed = policies.some(({ directives }) => directives.has('require-trusted-types-for'))
  const named = policies.every(({ directives }) => {
    const names = directives.get('trusted-types')
    return names === undefined || names.includes('lit-html') || names.includes('*')
  })
  if (typed && !named) {
    const detail = 'the policy forbids the element its templates; add trusted-types lit-html'
    return { name, level: 'fail', detail }
  }
  return { name, level: 'ok', detail: `lets the page frame ${checkoutOrigin}` }
}

function examineReferrer({ headers }: ShownPage): Finding {
  const name = 'page referrer'
  const policy = (headers.get('referrer-policy') ?? '').split(',').at(-1)?.trim()
  if (policy !== 'no-referrer' && policy !== 'same-origin') {
    return { name, level: 'ok', detail: 'the checkout learns which page shows it' }
  }
  const detail = `Referrer-Policy: ${policy} hides the page from the checkout, which then may not explain a refusal; send strict-origin-when-cross-origin`
  return { name, level: 'warn', detail }
}

function examineIsolation({ headers }: ShownPage): Finding {
  const name = 'page isolation'
  const embedder = headers.get('cross-origin-embedder-policy')
  if (embedder === null || embedder === 'unsafe-none') {
    return { name, level: 'ok', detail: 'the page is not cross-origin isolated' }
  }
  const detail = `Cross-Origin-Embedder-Policy: ${embedder} keeps the checkout out; leave it out on the page that shows the checkout`
  return { name, level: 'fail', detail }
}

interface Policy {
  readonly directives: ReadonlyMap<string, readonly string[]>
  /** The sources of a fetch directive, through its fallbacks; `undefined` when nothing restricts it. */
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
      const named = directive?.toLowerCase()
      // The first of two counts.
      if (named && !directives.has(named)) directives.set(named, values)
    }
    if (directives.size === 0) return []
    const sources = (directive: string): readonly string[] | undefined => {
      const found = fallbacks[directive]?.find((name) => directives.has(name))
      return found === undefined ? undefined : directives.get(found)
    }
    return [{ directives, sources }]
  })
}

/** @see Content Security Policy Level 3, §6.7.2.8 */
function matches(
  source: string,
  { target, url }: { readonly target: string; readonly url: string },
): boolean {
  const wanted = new URL(target)
  if (source === "'self'") return new URL(url).origin === wanted.origin
  if (source === '*') return true
  const [, scheme] = /^([a-z][a-z\d+.-]*):$/i.exec(source) ?? []
  if (scheme) return `${scheme.toLowerCase()}:` === wanted.protocol
  const [, protocol, host = '', port] =
    /^(?:([a-z][a-z\d+.-]*):\/\/)?([^:/]+|\[[^\]]+\])(?::(\d+|\*))?(?:\/.*)?$/i.exec(source) ?? []
  const expected = protocol ?? new URL(url).protocol.slice(0, -1)
  if (`${expected.toLowerCase()}:` !== wanted.protocol) return false
  const named = host.startsWith('*.')
    ? wanted.hostname.endsWith(host.slice(1))
    : host.toLowerCase() === wanted.hostname
  const usual = wanted.protocol === 'https:' ? '443' : '80'
  return named && (port === '*' || (port ?? usual) === (wanted.port || usual))
}
