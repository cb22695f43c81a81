/** The sandbox of one instance, which controls test environments: its request log, its faults, and its routes. @module */
import { z } from 'zod'
import { routes } from '../../shared/routes.ts'
import { faultOperations } from '../../shared/sandbox-api.ts'
import type { App } from '../http/app.ts'
import { notFound } from '../http/problem.ts'
import { json } from '../http/send.ts'
import { type Environment, findEnvironment } from '../merchants/environments.ts'
import type { MainOptions } from '../options.ts'
import { addEnvironmentRoutes } from './environment-routes.ts'
import { createFaultRules, faultNames, isFault } from './faults.ts'
import { addIntentRoutes } from './intent-routes.ts'
import { createRequestLog } from './request-log/request-log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Test environment in the path of the sandbox API. */
    readonly environment: Environment
  }
}

export function createSandbox(now: () => Date) {
  return { requestLog: createRequestLog(now), faults: createFaultRules() }
}

const environmentPath = routes.deleteEnvironment.path

export function addSandboxRoutes(app: App, options: MainOptions): void {
  app.decorateRequest('environment', null as never)
  // After the checks of the audience and the method. Live environments do not exist for the sandbox.
  app.addHook('preParsing', async (request) => {
    if (!request.routeOptions.url?.startsWith(environmentPath)) return
    const { id } = request.params as { readonly id: string } // The path has it.
    const environment = await findEnvironment(options.db, id)
    if (environment?.mode !== 'test') {
      throw notFound('No test environment has this id. GET /_sandbox/environments lists them.')
    }
    Object.assign(request, { environment })
  })
  addEnvironmentRoutes(app, options)
  addIntentRoutes(app, options)
  addLogAndFaultRoutes(app, options)
}

function addLogAndFaultRoutes(app: App, { faults, requestLog }: MainOptions): void {
  app.get(routes.requests.path, async ({ environment }, reply) =>
    json(reply, { requests: requestLog.requests(environment.id) }),
  )
  app.get(
    routes.exchange.path,
    { schema: { params: z.object({ request: z.string() }) } },
    async ({ environment, params }, reply) => {
      const entry = requestLog.find(environment.id, params.request)
      if (!entry) throw notFound('The log of this environment has no request with this id.')
      return json(reply, { request: entry.request, ...entry.exchange })
    },
  )
  app.delete(routes.clearRequests.path, async ({ environment }, reply) => {
    requestLog.clear(environment.id)
    return json(reply, { requests: [] })
  })
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
