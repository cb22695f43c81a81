/** Routes of test environments: their creation, clock, origins, fault rules, requests, and issues. @module */
import { readOrigin } from '@pi-checkout/contract/origin'
import { z } from 'zod'
import type { RouteName } from '../../shared/routes.ts'
import {
  faultNames,
  faultOperations,
  type LintIssue,
  type LoggedRequest,
} from '../../shared/sandbox-api.ts'
import type { Call } from '../http/call.ts'
import { notFound, ProblemError } from '../http/problem.ts'
import { type Handler, json } from '../http/response.ts'
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
import { readFault } from './faults/queued-rules.ts'
import { listIntents, ordersOf, searchIntents } from './intents.ts'
import {
  parseBody,
  readBeforeId,
  readBeforeNumber,
  readSearchTerm,
  readStatus,
} from './parse-request.ts'
import { loggedRequest } from './request-log/logged-request.ts'
import { deleteEnvironment } from './reset.ts'
import type { SandboxRoutesOptions } from './sandbox.ts'
import { RequestSchema, sendRequest } from './send-request.ts'

/** Explains that a response header cannot list another origin. */
function explainOrigins(error: unknown): never {
  if (error instanceof TooManyOrigins) throw new ProblemError('validation_failed', error.message)
  throw error
}

export function environmentRoutes({
  authenticator,
  db,
  intents: store,
  now,
  storeOptions,
  faults,
  requestLog,
  lint,
  forget,
}: SandboxRoutesOptions) {
  const about =
    (
      read: (environment: Environment, call: Call) => object | Promise<object>,
      status = 200,
    ): Handler =>
    async (call) => {
      const environment = await findEnvironment(db, call.params.id ?? '')
      if (environment?.mode !== 'test') throw noEnvironment()
      try {
        return json(await read(environment, call), status)
      } catch (error) {
        throw hasNoEnvironment(error) ? noEnvironment() : error
      }
    }

  function findingsOf({ id, allowedOrigins }: Environment): readonly LintIssue[] {
    // The command line may have registered origins.
    lint.resolve(id, allowedOrigins)
    return lint.issues(id)
  }

  async function moveClock({ params: { id = '' } }: Call, change: SetClock) {
    const clockOffset = await setClock(db, id, change)
    if (clockOffset === undefined) throw noEnvironment()
    return json(clockOf({ clockOffset }, now()))
  }

  return {
    environments: async () => {
      const [environments, keys] = [await listTestEnvironments(db), await listApiKeys(db)]
      return json({
        environments: environments.map((environment) => ({
          ...summaryOf(environment),
          clock: clockOf(environment, now()),
          counts: {
            failures: requestLog.countFailures(environment.id),
            findings: findingsOf(environment).length,
            rules: faults.list(environment.id).length,
          },
          keys: keys
            .filter(
              (key) => key.environment === 'test' && key.merchant === environment.merchantName,
            )
            .map(({ merchant: _, environment: __, ...shown }) => shown),
        })),
        commandOptions: storeOptions ?? null,
      })
    },

    createEnvironment: async (call) => {
      const rule =
        'Send {"origins": up to 20 exact origins such as https://shop.example.com}, or {} for none.'
      const { origins } = await parseBody(call, CreateEnvironment, rule)
      const created = await createTestEnvironment(db, { origins, now: now() }).catch(explainOrigins)
      const { environment, apiKey } = created
      return json({ ...summaryOf(environment), clock: clockOf(environment, now()), apiKey }, 201)
    },
    deleteEnvironment: async ({ params: { id = '' } }) => {
      if (!(await deleteEnvironment(db, id))) throw noEnvironment()
      forget(id)
      return json({ id })
    },

    setClock: async (call) => {
      const rule =
        'Send {"offset": milliseconds from real time} or {"advance": milliseconds from the current environment time}, within ten years.'
      return await moveClock(call, await parseBody(call, SetClock, rule))
    },
    resetClock: async (call) => await moveClock(call, { offset: 0 }),

    addOrigin: about(async ({ id }, call) => {
      const rule =
        'Send {"origin": an exact origin such as https://shop.example.com}. http is accepted for loopback only.'
      const { origin } = await parseBody(call, RegisterOrigin, rule)
      return { origins: await addOrigin(db, { environmentId: id, origin }).catch(explainOrigins) }
    }, 201),
    removeOrigin: about(async ({ id }, { query }) => {
      const origin = query.get('origin') ?? ''
      const origins = await removeOrigin(db, { environmentId: id, origin })
      if (origins) return { origins }
      throw notFound('This origin is not registered. Send a registered one as ?origin=.')
    }),

    createKey: about(
      async (environment) => await createApiKey(db, { environment, now: now() }),
      201,
    ),
    revokeKey: about(async ({ id: environmentId }, { params: { key: id = '' } }) => {
      if (await revokeApiKey(db, { id, environmentId, now: now() })) return { id, revoked: true }
      throw notFound(
        'This environment has no key with this id. GET /_sandbox/environments lists its keys.',
      )
    }),

    intents: about(async (environment, call) => {
      const search = {
        environment,
        before: readBeforeId(call),
        term: readSearchTerm(call),
        status: readStatus(call),
      }
      return await searchIntents({ db, intents: store }, search)
    }),

    requests: about(async (environment, call) => {
      const [before, text] = [readBeforeNumber(call), readSearchTerm(call)]
      // Logged requests contain only ids of intents, so find these by order and customer.
      const search = { environment, before: undefined, term: text, status: null }
      const { intents } =
        text === null ? { intents: [] } : await listIntents({ db, intents: store }, search)
      const page = requestLog.requests(environment.id, {
        before,
        text,
        intentIds: new Set(intents.map(({ id }) => id)),
        operation: call.query.get('operation') || null,
        key: call.query.get('key') || null,
        failed: call.query.get('failed') === 'true',
      })
      const orders = await ordersOf(
        db,
        page.requests.map(({ intentId }) => intentId),
      )
      return { ...page, requests: page.requests.map((each) => withOrder(each, orders)) }
    }),
    sendRequest: about(async (environment, call) => {
      const rule =
        'Send {"method": "GET" or "POST", "path": /payment-intents…, "headers": {…}, "body": text or null}.'
      const sent = await parseBody(call, RequestSchema, rule)
      const { apiKey, end } = authenticator.lend(environment)
      return await sendRequest(call, { ...sent, apiKey }).finally(end)
    }, 201),
    exchange: about(async ({ id }, { params: { request = '' } }) => {
      const entry = requestLog.find(id, request)
      if (!entry) throw notFound('The log of this environment has no request with this id.')
      const { exchange, intentId } = entry
      const orderId = (await ordersOf(db, [intentId])).get(intentId) ?? null
      return { request: loggedRequest(entry), orderId, ...exchange() }
    }),
    clearRequests: about(({ id }) => {
      requestLog.clear(id)
      return { requests: [] }
    }),
    keyUses: about(async ({ id }) => {
      const uses = requestLog.keyUses(id)
      const orders = await ordersOf(
        db,
        uses.map(({ intentId }) => intentId),
      )
      return { keys: uses.map((use) => ({ ...use, orderId: orders.get(use.intentId) ?? null })) }
    }),

    lint: about((environment) => ({ findings: findingsOf(environment) })),
    clearLint: about(({ id }) => {
      lint.clear(id)
      return { findings: [] }
    }),

    faults: about(({ id }) => ({
      rules: faults.list(id),
      requests: requestLog.requestsWithFaults(id),
    })),
    addFault: about(async ({ id }, call) => {
      const rule = `Send {"on": "create" or "retrieve", "do": one of ${faultNames}, "times": 1 to 1000}.`
      faults.add(id, await parseBody(call, FaultRule, rule))
      return { rules: faults.list(id) }
    }, 201),
    clearFaults: about(({ id }) => {
      faults.clear(id)
      return { rules: [] }
    }),
    removeFault: about(({ id }, { params }) => {
      if (faults.remove(id, Number(params.rule))) return { rules: faults.list(id) }
      throw notFound(
        'This environment has no such rule. GET /_sandbox/environments/:id/faults lists its rules.',
      )
    }),
  } satisfies Partial<Record<RouteName, Handler>>
}

const Origin = z.string().refine((text) => readOrigin(text) !== undefined)
const RegisterOrigin = z.strictObject({ origin: Origin })
const CreateEnvironment = z.strictObject({ origins: z.array(Origin).max(20).default([]) })

const FaultRule = z.strictObject({
  on: z.enum(faultOperations),
  do: z.string().refine((text) => readFault(text) !== undefined),
  times: z.int().min(1).max(1000).default(1),
})

export function noEnvironment(): Error {
  return notFound('No test environment has this id. GET /_sandbox/environments lists them.')
}

/** Adds the order of its intent to a request that names none. */
function withOrder(
  request: LoggedRequest,
  orders: ReadonlyMap<string | null, string>,
): LoggedRequest {
  const orderId = orders.get(request.intentId)
  if (request.order || orderId === undefined) return request
  return { ...request, order: { orderId, amount: null, currency: null } }
}

function summaryOf({ id, merchantName: merchant, allowedOrigins: origins }: Environment): object {
  return { id, merchant, origins }
}

function clockOf(environment: Pick<Environment, 'clockOffset'>, now: Date): object {
  return { offset: environment.clockOffset, now: environmentNow(environment, now) }
}
