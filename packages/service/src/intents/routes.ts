/**
 * Which of the two operations a request is for, as bare handlers in front of Express.
 *
 * @module
 */
import type { IncomingMessage, RequestListener } from 'node:http'
import { routes } from '@pi-checkout/contract'
import type { Context } from '../context.ts'
import { methodNotAllowed } from '../http/method-not-allowed.ts'
import { ProblemError, sendProblem } from '../http/problem.ts'
import { Dropped } from '../sandbox/inject.ts'
import {
  createOperation,
  type Operation,
  type OperationParts,
  retrieveOperation,
} from './operations.ts'
import { collection, repeatApiVersion } from './request.ts'

/** Tells whether a path belongs to the two operations. */
export function isIntentPath(url: string): boolean {
  return url.startsWith(collection) && /^(?:$|[/?])/.test(url.slice(collection.length))
}

/** Returns the handler of both operations. */
export function intentRoutes(context: Context, parts: OperationParts): RequestListener {
  const create = createOperation(context, parts)
  const retrieve = retrieveOperation(context, parts)
  return (request, response) => {
    route(request, { create, retrieve })(request, response).catch((error: unknown) => {
      if (error instanceof Dropped) {
        request.socket.destroy()
        return
      }
      repeatApiVersion(request, response)
      sendProblem(request, response, { error, log: context.log })
    })
  }
}

function route(
  { method, url = '' }: IncomingMessage,
  { create, retrieve }: { readonly create: Operation; readonly retrieve: Operation },
): Operation {
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  if (path === collection) {
    return method === routes.create.method ? create : refuse(methodNotAllowed(routes.create.method))
  }
  const id = path.slice(collection.length + 1)
  if (id === '' || id.includes('/')) {
    return refuse(new ProblemError('not_found', 'There is nothing at this address; see /docs.'))
  }
  return method === 'GET' || method === 'HEAD' ? retrieve : refuse(methodNotAllowed('GET, HEAD'))
}

function refuse(problem: ProblemError): Operation {
  return async () => {
    throw problem
  }
}
