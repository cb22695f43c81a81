/**
 * Creates the fastify instance of a listener: it parses and validates requests, and sends problems for errors. Audiences
 * add their routes.
 *
 * @module
 */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { limits, headers as names } from '@pi-checkout/contract'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyTypeProvider,
  fastify,
  type onSendHookHandler,
  type preHandlerAsyncHookHandler,
} from 'fastify'
import type { Logger } from 'pino'
import { z } from 'zod'
import { newRequestId } from '../ids.ts'
import { sendClientError } from './client-errors.ts'
import {
  inputProblem,
  notFound,
  ProblemError,
  type ProblemPage,
  problemHandler,
  problemResponse,
} from './problem.ts'
import { Facts } from './request-facts.ts'

/** An instance whose schemas are those of zod. */
export type App = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypes
>

interface ZodTypes extends FastifyTypeProvider {
  readonly validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown
}

declare module 'fastify' {
  interface FastifyRequest {
    facts: Facts
  }
}

export interface HttpOptions {
  readonly log: Logger
  /** The server that gets the listener, for `clientError`. */
  readonly server?: Server | undefined
  /** Requests whose response is not known yet, also of clients that have left. */
  readonly running?: Set<FastifyRequest> | undefined
  /** Aborted before the service stops. Each response then closes its connection. */
  readonly draining?: AbortSignal | undefined
  /** Called with a request for an unknown path. */
  readonly onUnknownPath?: (request: FastifyRequest, reply: FastifyReply) => void
  /** Sends a browser the page of a problem, if it opened an address that is for people. */
  readonly problemPage?: ProblemPage
}

/** Hooks of one operation of the merchant API. */
export interface OperationHooks {
  /** Runs for an accepted request, before its handler. */
  readonly before: preHandlerAsyncHookHandler
  /** Runs before the response is sent. */
  readonly after: onSendHookHandler<unknown>
}

export function createApp({
  log,
  server,
  running,
  draining,
  onUnknownPath,
  problemPage,
}: HttpOptions): App {
  const app: App = fastify({
    ...(server && { serverFactory: () => server }),
    requestIdHeader: false,
    genReqId: newRequestId,
    bodyLimit: limits.requestBytes,
    return503OnClosing: false,
    // Headers are limited, and a long id is one that no intent has.
    routerOptions: { maxParamLength: maxHeaderBytes },
    // The only one is a path that cannot be decoded.
    frameworkErrors: (_error, request: FastifyRequest, reply: FastifyReply) => {
      const { status, headers, body } = problemResponse(notFound(), request.id)
      reply.code(status).headers(headers).send(body)
    },
    clientErrorHandler: sendClientError,
  }).withTypeProvider<ZodTypes>()

  app.removeContentTypeParser('text/plain')
  parseJson(app)
  app.setValidatorCompiler(({ schema, httpPart }) => {
    if (!(schema instanceof z.ZodType)) throw new TypeError('schema: must be a zod schema')
    return (given) => {
      // fastify passes `null` for a missing body.
      const input = given ?? undefined
      const { success, data, error } = schema.safeParse(input)
      return success ? { value: data } : { error: inputProblem(error, input, httpPart) }
    }
  })
  const sendProblem = problemHandler(log, problemPage)
  app.setErrorHandler((error, request, reply) => {
    running?.delete(request)
    if (error instanceof ConnectionDropped) reply.hijack().raw.destroy()
    else sendProblem(error, request, reply)
  })
  app.setNotFoundHandler((request, reply) => {
    onUnknownPath?.(request, reply)
    request.facts.isForPeople = true
    throw notFound()
  })

  app.decorateRequest('facts', null as never)
  app.addHook('onRequest', (request, reply, next) => {
    request.facts = new Facts()
    running?.add(request)
    reply.header(names.requestId, request.id)
    next()
  })
  app.addHook('onSend', (request, reply, body, next) => {
    running?.delete(request)
    if (typeof body === 'string') request.facts.responseBody = body
    if (draining?.aborted) reply.header('connection', 'close')
    next()
  })
  return app
}

/** Thrown to close the connection without a response. */
export class ConnectionDropped extends Error {
  override readonly name = 'ConnectionDropped'
}

/** Parses forms as objects, and no other bodies. */
export function parseForms(scope: App, bodyLimit: number): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  )
}

/** Node.js's own limit of all headers together. */
const maxHeaderBytes = 16 * 1024

/** Parses JSON in UTF-8, without the names that allow prototype pollution. */
function parseJson(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser(
    /^application\/json ?(?:; ?charset="?utf-8"? ?)?;?$/i,
    { parseAs: 'buffer' },
    (request, body, done) => {
      // Replaced characters would make two different bodies equal.
      if (!isUtf8(body as Buffer)) {
        done(new ProblemError('malformed_json', 'The body must be UTF-8.'))
        return
      }
      const text = String(body)
      request.facts.sentBody = text
      void parse(request, text, done)
    },
  )
}
