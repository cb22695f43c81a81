/** Routes of test environments: their creation, clock, origins, fault rules, requests, and issues. @module */
import { readOrigin } from '@pi-checkout/contract/origin'
import { z } from 'zod'
import type { RouteName } from '../../shared/routes.ts'
import { faultNames, faultOperations } from '../../shared/sandbox-api.ts'
import type { Call } from '../http/call.ts'
import { ProblemError } from '../http/problem.ts'
import { type Handler, json } from '../http/response.ts'
import { createApiKey, listApiKeys } from '../merchants/api-keys.ts'
import { type Environment, environmentNow, findEnvironment } from '../merchants/environments.ts'
import {
  addOrigin,
  createTestEnvironment,
  deleteTestEnvironment,
  removeOrigin,
} from '../merchants/merchants.ts'
import { SetClock, setClock } from './environment-clock.ts'
import { readFault } from './faults/rules.ts'
import { newestIntents, testEnvironments } from './intent-details.ts'
import { parseBody, readId, readSearchTerm } from './parse-request.ts'
import type { RequestFilter } from './request-log/logged-request.ts'
import type { SandboxRoutesOptions } from './sandbox.ts'

/** Returns the handlers of `/_sandbox/environments`. */
export function environmentRoutes({
  db,
  keys,
  now,
  storeOptions,
  faults,
  topics,
  requestLog,
  lint,
}: SandboxRoutesOptions) {
  /** Finds the test environment in the path. @throws {ProblemError} If there is none, or it is live. */
  async function environmentOf({ params: { id = '' } }: Call): Promise<Environment> {
    const environment = await findEnvironment(db, id)
    if (environment?.mode === 'test') return environment
    throw noEnvironment()
  }

  /** A handler whose JSON is about the path's environment. */
  const about =
    (
      read: (id: string, call: Call, environment: Environment) => object | Promise<object>,
    ): Handler =>
    async (call) => {
      const environment = await environmentOf(call)
      return json(await read(environment.id, call, environment))
    }

  async function moveClock({ params: { id = '' } }: Call, change: SetClock) {
    const clockOffset = await setClock(db, id, change)
    if (clockOffset === undefined) throw noEnvironment()
    return json(clockOf({ clockOffset }, now()))
  }

  /** Finds intents by order and customer, because logged requests contain only ids of intents. */
  async function requestFilter(environment: Environment, text: string): Promise<RequestFilter> {
    const { intents } = await newestIntents(
      { db, now },
      { environment, before: undefined, search: { term: text, status: null }, count: pageLength },
    )
    return { text, intentIds: new Set(intents.map(({ id }) => id)) }
  }

  return {
    environments: async () => {
      const [environments, keys] = [await testEnvironments(db), await listApiKeys(db)]
      return json({
        environments: environments.map((environment) => ({
          ...summaryOf(environment),
          clock: clockOf(environment, now()),
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
      const created = await db.transaction(async (tx) => {
        const environment = await createTestEnvironment(tx, now())
        for (const origin of origins) await addOrigin(tx, { environmentId: environment.id, origin })
        const { apiKey } = await createApiKey(tx, keys, { environment, now: now() })
        return { environment: { ...environment, allowedOrigins: origins }, apiKey }
      })
      const { environment, apiKey } = created
      const clock = clockOf(environment, now())
      return json({ ...summaryOf(environment), clock, apiKey }, { status: 201 })
    },
    deleteEnvironment: async ({ params: { id = '' } }) => {
      if (!(await db.transaction(async (tx) => await deleteTestEnvironment(tx, id)))) {
        throw noEnvironment()
      }
      faults.clear(id)
      requestLog.clear(id)
      requestLog.clearKeyUses(id)
      lint.clear(id)
      return json({ id })
    },

    setClock: async (call) =>
      await moveClock(
        call,
        await parseBody(
          call,
          SetClock,
          'Send {"offset": milliseconds from real time} or {"advance": milliseconds from the current environment time}, within ten years.',
        ),
      ),
    resetClock: async (call) => await moveClock(call, { offset: 0 }),

    addOrigin: async (call) => {
      const rule =
        'Send {"origin": an exact origin such as https://shop.example.com}. http is accepted for loopback only.'
      const { origin } = await parseBody(call, RegisterOrigin, rule)
      const { id } = await environmentOf(call)
      const origins = await addOrigin(db, { environmentId: id, origin })
      return json({ origins }, { status: 201 })
    },
    removeOrigin: async (call) => {
      const { id } = await environmentOf(call)
      const origin = call.query.get('origin') ?? ''
      const origins = await removeOrigin(db, { environmentId: id, origin })
      if (!origins) {
        throw new ProblemError(
          'not_found',
          'This origin is not registered. Send a registered one as ?origin=.',
        )
      }
      return json({ origins })
    },

    intents: about(async (_, call, environment) => {
      const before = readId(call, 'before')
      const search = { term: readSearchTerm(call), status: call.query.get('status') }
      return await newestIntents({ db, now }, { environment, before, search, count: pageLength })
    }),

    requests: about(async (id, call, environment) => {
      const term = readSearchTerm(call)
      const filter = term === null ? undefined : await requestFilter(environment, term)
      return { requests: requestLog.requests(id, filter) }
    }),
    clearRequests: about((id) => {
      requestLog.clear(id)
      return { requests: [] }
    }),
    keyUses: about((id) => ({ keys: requestLog.keyUses(id) })),

    lint: async (call) => {
      const { id, allowedOrigins } = await environmentOf(call)
      // The command line may have registered origins.
      lint.resolve(id, allowedOrigins)
      return json({ findings: lint.issues(id) })
    },
    clearLint: about((id) => {
      lint.clear(id)
      return { findings: [] }
    }),

    faults: about((id) => ({ rules: faults.list(id) })),
    addFault: async (call) => {
      const { id } = await environmentOf(call)
      const rule = await parseBody(
        call,
        FaultRule,
        `Send {"on": "create" or "retrieve", "do": one of ${faultNames}, "times": 1 to 1000}.`,
      )
      faults.add(id, rule)
      topics.notify('faults')
      return json({ rules: faults.list(id) }, { status: 201 })
    },
    clearFaults: about((id) => {
      faults.clear(id)
      topics.notify('faults')
      return { rules: [] }
    }),
    removeFault: about((id, { params }) => {
      if (!faults.remove(id, Number(params.rule))) {
        throw new ProblemError(
          'not_found',
          'This environment has no such rule. GET /_sandbox/environments/:id/faults lists its rules.',
        )
      }
      topics.notify('faults')
      return { rules: faults.list(id) }
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

/** Number of intents in a page. */
const pageLength = 200

/** Returns the problem for an id that no test environment has. */
export function noEnvironment(): ProblemError {
  return new ProblemError(
    'not_found',
    'No test environment has this id. GET /_sandbox/environments lists them.',
  )
}

function summaryOf({ id, merchantName: merchant, allowedOrigins: origins }: Environment): object {
  return { id, merchant, origins }
}

function clockOf(environment: Pick<Environment, 'clockOffset'>, now: Date): object {
  return { offset: environment.clockOffset, now: environmentNow(environment, now) }
}
