/** Routes of test environments: their creation, clock, origins, fault rules, requests, and issues. @module */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { routes } from '../../shared/routes.ts'
import type { App } from '../http/app.ts'
import { notFound, ProblemError } from '../http/problem.ts'
import { json } from '../http/send.ts'
import { createApiKey, listApiKeys, revokeApiKey } from '../merchants/api-keys.ts'
import { type Environment, environmentNow, findEnvironment } from '../merchants/environments.ts'
import {
  addOrigin,
  createTestEnvironment,
  listTestEnvironments,
  removeOrigin,
  TooManyOrigins,
} from '../merchants/merchants.ts'
import { hasNoEnvironment } from '../store/errors.ts'
import { SetClock, setClock } from './environment-clock.ts'
import { searchIntents } from './intents.ts'
import {
  CreateEnvironmentSchema,
  FaultRuleSchema,
  IdSchema,
  IntentsQuerySchema,
  RegisterOriginSchema,
  RemoveOriginSchema,
} from './parse-request.ts'
import { deleteEnvironment } from './reset.ts'
import type { SandboxRoutesOptions } from './sandbox.ts'
import { RequestSchema, sendRequest } from './send-request.ts'

export function addEnvironmentRoutes(app: App, options: SandboxRoutesOptions): void {
  const { authenticator, db, intents: store, now, storeOptions } = options
  const { faults, requestLog, forget } = options
  const params = IdSchema

  /** Returns the environment of a path. @throws {ProblemError} If it is not a test environment. */
  async function environmentOf(request: FastifyRequest<{ Params: unknown }>): Promise<Environment> {
    const { id } = IdSchema.parse(request.params)
    const environment = await findEnvironment(db, id)
    if (environment?.mode === 'test') return environment
    throw noEnvironment()
  }

  async function moveClock(id: string, change: SetClock): Promise<object> {
    const clockOffset = await setClock(db, id, change)
    if (clockOffset === undefined) throw noEnvironment()
    return clockOf({ clockOffset }, now())
  }

  app.get(routes.environments.path, async (_request, reply) => {
    const [environments, apiKeys] = [await listTestEnvironments(db), await listApiKeys(db)]
    return json(reply, {
      environments: environments.map((environment) => ({
        ...summaryOf(environment),
        clock: clockOf(environment, now()),
        counts: {
          failures: requestLog.countFailures(environment.id),
          findings: requestLog.issues(environment).length,
          rules: faults.list(environment.id).length,
        },
        keys: apiKeys
          .filter((key) => key.environment === 'test' && key.merchant === environment.merchantName)
          .map(({ merchant: _, environment: __, ...shown }) => shown),
      })),
      commandOptions: storeOptions ?? null,
    })
  })
  app.post(
    routes.createEnvironment.path,
    { schema: { body: CreateEnvironmentSchema } },
    async ({ body: { origins } }, reply) => {
      const created = await createTestEnvironment(db, { origins, now: now() }).catch(explainOrigins)
      const { environment, apiKey } = created
      const shown = { ...summaryOf(environment), clock: clockOf(environment, now()), apiKey }
      return json(reply, shown, 201)
    },
  )
  app.delete(
    routes.deleteEnvironment.path,
    { schema: { params } },
    async ({ params: { id } }, reply) => {
      if (!(await deleteEnvironment(db, id))) throw noEnvironment()
      forget(id)
      return json(reply, { id })
    },
  )

  app.put(
    routes.setClock.path,
    { schema: { params, body: SetClock } },
    async ({ params: { id }, body }, reply) => json(reply, await moveClock(id, body)),
  )
  app.delete(routes.resetClock.path, { schema: { params } }, async ({ params: { id } }, reply) =>
    json(reply, await moveClock(id, { offset: 0 })),
  )

  app.post(
    routes.addOrigin.path,
    { schema: { params, body: RegisterOriginSchema } },
    async (request, reply) => {
      const { id } = await environmentOf(request)
      const added = { environmentId: id, origin: request.body.origin }
      const origins = await addOrigin(db, added).catch(explainOrigins)
      return json(reply, { origins }, 201)
    },
  )
  app.delete(
    routes.removeOrigin.path,
    { schema: { params, querystring: RemoveOriginSchema } },
    async (request, reply) => {
      const { id: environmentId } = await environmentOf(request)
      const origins = await removeOrigin(db, { environmentId, origin: request.query.origin })
      if (origins) return json(reply, { origins })
      throw notFound('This origin is not registered. Send a registered one as ?origin=.')
    },
  )

  app.post(routes.createKey.path, async (request, reply) => {
    const environment = await environmentOf(request)
    const created = await createApiKey(db, { environment, now: now() }).catch(rethrow)
    return json(reply, created, 201)
  })
  app.delete(
    routes.revokeKey.path,
    { schema: { params: params.extend({ key: z.string() }) } },
    async (request, reply) => {
      const { id: environmentId } = await environmentOf(request)
      const { key: id } = request.params
      const isRevoked = await revokeApiKey(db, { id, environmentId, now: now() })
      if (isRevoked) return json(reply, { id, revoked: true })
      throw notFound(
        'This environment has no key with this id. GET /_sandbox/environments lists its keys.',
      )
    },
  )

  app.get(
    routes.intents.path,
    { schema: { params, querystring: IntentsQuerySchema } },
    async (request, reply) => {
      const { before, q: term = null, status = null } = request.query
      const search = { environment: await environmentOf(request), before, term, status }
      return json(reply, await searchIntents({ db, intents: store }, search))
    },
  )

  app.get(routes.requests.path, async (request, reply) =>
    json(reply, requestLog.requests((await environmentOf(request)).id)),
  )
  app.post(
    routes.sendRequest.path,
    { schema: { params, body: RequestSchema } },
    async (request, reply) => {
      const { apiKey, end } = authenticator.lend(await environmentOf(request))
      const sent = await sendRequest(request, { ...request.body, apiKey }).finally(end)
      return json(reply, sent, 201)
    },
  )
  app.get(
    routes.exchange.path,
    { schema: { params: params.extend({ request: z.string() }) } },
    async (request, reply) => {
      const { id } = await environmentOf(request)
      const entry = requestLog.find(id, request.params.request)
      if (!entry) throw notFound('The log of this environment has no request with this id.')
      return json(reply, { request: entry.request, ...entry.exchange })
    },
  )
  app.delete(routes.clearRequests.path, async (request, reply) => {
    requestLog.clear((await environmentOf(request)).id)
    return json(reply, { requests: [] })
  })
  app.get(routes.lint.path, async (request, reply) =>
    json(reply, { findings: requestLog.issues(await environmentOf(request)) }),
  )
  app.delete(routes.clearLint.path, async (request, reply) => {
    requestLog.clearIssues((await environmentOf(request)).id)
    return json(reply, { findings: [] })
  })

  app.get(routes.faults.path, async (request, reply) => {
    const { id } = await environmentOf(request)
    return json(reply, { rules: faults.list(id), requests: requestLog.requestsWithFaults(id) })
  })
  app.post(
    routes.addFault.path,
    { schema: { params, body: FaultRuleSchema } },
    async (request, reply) => {
      const { id } = await environmentOf(request)
      faults.add(id, request.body)
      return json(reply, { rules: faults.list(id) }, 201)
    },
  )
  app.delete(routes.clearFaults.path, async (request, reply) => {
    faults.clear((await environmentOf(request)).id)
    return json(reply, { rules: [] })
  })
  app.delete(
    routes.removeFault.path,
    { schema: { params: params.extend({ rule: z.string() }) } },
    async (request, reply) => {
      const { id } = await environmentOf(request)
      if (faults.remove(id, Number(request.params.rule))) {
        return json(reply, { rules: faults.list(id) })
      }
      throw notFound(
        'This environment has no such rule. GET /_sandbox/environments/:id/faults lists its rules.',
      )
    },
  )
}

/** Explains that a response header cannot list another origin. */
function explainOrigins(error: unknown): never {
  if (error instanceof TooManyOrigins) throw new ProblemError('validation_failed', error.message)
  throw error
}

/** An environment can be deleted during the request. */
function rethrow(error: unknown): never {
  throw hasNoEnvironment(error) ? noEnvironment() : error
}

export function noEnvironment(): Error {
  return notFound('No test environment has this id. GET /_sandbox/environments lists them.')
}

function summaryOf({ id, merchantName: merchant, allowedOrigins: origins }: Environment): object {
  return { id, merchant, origins }
}

function clockOf(environment: Pick<Environment, 'clockOffset'>, now: Date): object {
  return { offset: environment.clockOffset, now: environmentNow(environment, now) }
}
