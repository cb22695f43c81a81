/** Routes for one kind of client, with the checks of each of its requests. @module */
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { App } from './app.ts'
import { notFound, ProblemError } from './problem.ts'

/** Checks a request before its body is read. @throws {ProblemError} */
export type Check = (request: FastifyRequest, reply: FastifyReply) => void

/**
 * Adds the routes of an audience. Other methods of their paths are rejected with 405 after the same checks.
 *
 * @param prefix - Of paths that belong to the audience even if they have no route.
 */
export function addAudience(
  app: App,
  {
    checks = [],
    prefix,
    addRoutes,
  }: {
    readonly checks?: readonly Check[]
    readonly prefix?: string
    readonly addRoutes: (scope: App) => void
  },
): void {
  const hooks = checks.map(hookOf)
  void app.register((scope: App, _options, done) => {
    for (const hook of hooks) scope.addHook('onRequest', hook)
    const methods = new Map<string, string[]>()
    scope.addHook('onRoute', ({ url, method }) => {
      methods.set(url, [...(methods.get(url) ?? []), ...[method].flat()])
    })
    addRoutes(scope)
    for (const [url, allowed] of [...methods]) rejectOthers(scope, url, allowed)
    done()
  })
  if (prefix === undefined) return
  const rest = { prefix }
  void app.register((scope: App, _options: typeof rest, done) => {
    for (const hook of hooks) scope.addHook('onRequest', hook)
    scope.setNotFoundHandler(() => {
      throw notFound()
    })
    done()
  }, rest)
}

function hookOf(check: Check): onRequestHookHandler {
  return (request, reply, next) => {
    check(request, reply)
    next()
  }
}

function rejectOthers(scope: App, url: string, allowed: readonly string[]): void {
  const allow = allowed.join(', ')
  const reject = (): never => {
    throw new ProblemError('method_not_allowed', `Allowed methods: ${allow}.`, {
      headers: { allow },
    })
  }
  const method = scope.supportedMethods.filter((each) => !allowed.includes(each))
  // Before the body is read.
  scope.route({ method, url, onRequest: reject, handler: reject })
}

/**
 * Returns the check that rejects an unknown host name, because a website can point its name at loopback (DNS rebinding).
 * It accepts the host of `url`, and loopback names, with or without the default port.
 *
 * @see RFC 9110, §4.2.3
 */
export function hostCheck(url: string): Check {
  const { host: publicHost, port: publicPort, protocol } = new URL(url)
  const defaultPort = protocol === 'https:' ? 443 : 80
  const withPort = publicPort === '' ? `${publicHost}:${defaultPort}` : publicHost
  return ({ headers, socket }) => {
    const host = headers.host?.toLowerCase() ?? ''
    if (host === publicHost || host === withPort) return
    const port = socket.localPort
    if (loopbackNames.some((name) => host === `${name}:${port}`)) return
    throw new ProblemError(
      'invalid_host',
      'The Host header does not name this service. Use its address, or set PI_PUBLIC_URL and PI_CHALLENGE_URL.',
    )
  }
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']
