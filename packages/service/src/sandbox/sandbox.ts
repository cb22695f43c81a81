/**
 * The sandbox, which controls test environments: who may use it, and the routes of its request log and its faults.
 * `PI_SANDBOX=network` allows other hosts, because a container sees its own host as another one.
 *
 * @module
 */
import { isLoopback } from '@pi-checkout/contract/origin'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { routes } from '../../shared/routes.ts'
import { faultOperations } from '../../shared/sandbox-api.ts'
import type { App } from '../http/app.ts'
import { notFound, ProblemError, unauthorized } from '../http/problem.ts'
import { json } from '../http/send.ts'
import { findEnvironment } from '../merchants/environments.ts'
import type { AppOptions } from '../options.ts'
import { isSameSecret } from '../secret-keys.ts'
import { addEnvironmentRoutes } from './environment-routes.ts'
import { faultNames, isFault } from './faults.ts'
import { addIntentRoutes } from './intents.ts'

/** Rejects requests from other hosts, and requests for a public host name, with 404. */
export function checkLocal({ headers, socket }: FastifyRequest): void {
  const { hostname } = new URL(`http://${headers.host ?? ''}`)
  const address = socket.remoteAddress?.replace(/^::ffff:/, '')
  const isLocal = address === '::1' || address?.startsWith('127.')
  if (!isLocal || !isLoopback(hostname)) throw notFound()
}

export function adminCheck(adminToken: string): (request: FastifyRequest) => void {
  return ({ headers: { authorization: sent } }) => {
    const [, token = ''] = /^Bearer +(\S+)$/i.exec(sent ?? '') ?? []
    if (isSameSecret(token, adminToken)) return
    throw unauthorized(
      'invalid_admin_token',
      'Send the admin token that this start of the service printed, as Authorization: Bearer <TOKEN>.',
      sent ? undefined : 'Bearer',
    )
  }
}

/** Rejects U+0000 in an address, because PostgreSQL does not accept it in text. */
export function checkNull({ url }: FastifyRequest): void {
  if (!url.includes('%00')) return
  throw new ProblemError('validation_failed', 'The address must not contain U+0000.')
}

export function addSandboxRoutes(app: App, options: AppOptions): void {
  app.decorateRequest('environment', null as never)
  // After the checks of the audience and the method. Live environments do not exist for the sandbox.
  app.addHook('preParsing', async (request) => {
    if (!request.routeOptions.url?.startsWith(routes.deleteEnvironment.path)) return
    const { id } = request.params as { readonly id: string } // The path has it.
    const environment = await findEnvironment(options.db, id)
    if (environment?.mode !== 'test') {
      throw notFound('No test environment has this id. GET /_sandbox/environments lists them.')
    }
    request.environment = environment
  })
  addEnvironmentRoutes(app, options)
  addIntentRoutes(app, options)
  addLogAndFaultRoutes(app, options)
}

function addLogAndFaultRoutes(app: App, { faults, requestLog }: AppOptions): void {
  app.get(routes.requests.path, async ({ environment }, reply) =>
    json(reply, { requests: requestLog.requests(environment.id) }),
  )
  app.get(
    routes.exchange.path,
    { schema: { params: z.object({ request: z.string() }) } },
    async ({ environment, params }, reply) => {
      const entry = requestLog.find(environment.id, params.request)
      if (!entry) throw notFound('The log of this environment has no request with this id.')
      return json(reply, { request: entry.request, ...entry.exchange, ...entry.bodies })
    },
  )
  app.get(routes.lint.path, async ({ environment }, reply) =>
    json(reply, { findings: requestLog.issues(environment) }),
  )

  app.get(routes.faults.path, async ({ environment }, reply) =>
    json(reply, { rules: faults.list(environment.id) }),
  )
  app.post(
    routes.addFault.path,
    { schema: { body: FaultRuleSchema } },
    async ({ environment: { id }, body }, reply) => {
      faults.add(id, body)
      return json(reply, { rules: faults.list(id) }, 201)
    },
  )
  app.delete(routes.clearFaults.path, async ({ environment }, reply) => {
    faults.clear(environment.id)
    return json(reply, { rules: [] })
  })
  app.delete(
    routes.removeFault.path,
    { schema: { params: z.object({ rule: z.coerce.number() }) } },
    async ({ environment: { id }, params }, reply) => {
      if (faults.remove(id, params.rule)) return json(reply, { rules: faults.list(id) })
      throw notFound('This environment has no such rule.')
    },
  )
}

const faultRule = `must be one of ${faultNames}`
const timesRule = 'must be an integer from 1 to 1000'
const FaultRuleSchema = z.strictObject({
  on: z.enum(faultOperations, `must be ${faultOperations.join(' or ')}`),
  do: z.string(faultRule).refine(isFault, {
    message: faultRule,
    params: { code: 'not_supported' },
  }),
  times: z.int(timesRule).min(1, timesRule).max(1000, timesRule).default(1),
})
