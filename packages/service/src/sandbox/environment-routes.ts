/**
 * Test environments over HTTP: clock and origins, and what was noted of each.
 *
 * @module
 */
import { readOrigin } from '@pi-checkout/contract/origin'
import { Router } from 'express'
import { z } from 'zod'
import type { Context } from '../context.ts'
import type { Authenticator } from '../http/authenticate.ts'
import { only } from '../http/method-not-allowed.ts'
import { ProblemError } from '../http/problem.ts'
import { listApiKeys } from '../merchants/api-keys.ts'
import { type Environment, findEnvironment, timeOf } from '../merchants/environments.ts'
import { addOrigin, removeOrigin } from '../merchants/merchants.ts'
import { SetClock, setClock } from './clock.ts'
import type { Search } from './exchange.ts'
import { queryOf, readId, readSought } from './query.ts'
import { read } from './read.ts'
import type { Sandbox } from './sandbox.ts'
import { newestIntents, testEnvironments } from './stored.ts'

/** What these routes need besides the context. */
export interface EnvironmentParts {
  readonly authenticator: Authenticator
  /** Options of `pi-service` that reach this store, such as ` --data DIR`; `undefined`: none does. */
  readonly storeOptions: string | undefined
}

/** Returns the routes of `/environments`. */
export function environmentRoutes(
  context: Context,
  { authenticator, storeOptions }: EnvironmentParts,
  { changes, journal, lint }: Sandbox,
): Router {
  const { db, now } = context
  const router = Router({ caseSensitive: true, strict: true })

  router.get('/environments', async (_request, response) => {
    const [environments, keys] = [await testEnvironments(context), await listApiKeys(db)]
    response.json({
      environments: environments.map((environment) => ({
        ...summaryOf(environment),
        clock: clockOf(environment, now()),
        keys: keys
          .filter(
            ({ merchant, environment: mode }) =>
              mode === 'test' && merchant === environment.merchantName,
          )
          .map(({ id, display, createdAt, expiresAt, revokedAt }) => ({
            id,
            display,
            createdAt,
            expiresAt,
            revokedAt,
          })),
      })),
      commandOptions: storeOptions ?? null,
    })
  })

  router
    .route('/environments/:id/clock')
    .put(async (request, response) => {
      const asked = await read(
        request,
        SetClock,
        'Send {"offset": milliseconds from real time} or {"advance": milliseconds from where the clock stands}, within ten years.',
      )
      response.json(await moveClock(request.params.id, asked))
    })
    .delete(async (request, response) => {
      response.json(await moveClock(request.params.id, { offset: 0 }))
    })
    .all(only('PUT, DELETE'))

  async function moveClock(id: string, asked: SetClock): Promise<object> {
    const clockOffset = await setClock(db, id, asked)
    if (clockOffset === undefined) throw noEnvironment()
    // The key look-ups carry the offset.
    authenticator.forget()
    changes.announce('environments', 'intents')
    return clockOf({ clockOffset }, now())
  }

  router
    .route('/environments/:id/origins')
    .post(async (request, response) => {
      const rule =
        'Send {"origin": an exact origin such as https://shop.example.com}; http passes on loopback only.'
      const { origin } = await read(request, RegisterOrigin, rule)
      const { id } = await testEnvironment(context, request.params.id)
      const origins = await addOrigin(db, { environmentId: id, origin })
      authenticator.forget()
      changes.announce('environments', 'lint')
      response.status(201).json({ origins })
    })
    .delete(async (request, response) => {
      const { id } = await testEnvironment(context, request.params.id)
      const origin = queryOf(request).get('origin') ?? ''
      const origins = await removeOrigin(db, { environmentId: id, origin })
      if (!origins)
        throw new ProblemError(
          'not_found',
          'No such origin is registered here; name one as ?origin=.',
        )
      authenticator.forget()
      changes.announce('environments')
      response.json({ origins })
    })
    .all(only('POST, DELETE'))

  router.get('/environments/:id/intents', async (request, response) => {
    const { id } = await testEnvironment(context, request.params.id)
    const before = readId(request, 'before')
    const search = { sought: readSought(request), status: queryOf(request).get('status') }
    response.json(
      await newestIntents(context, { environmentId: id, before, search, count: pageLength }),
    )
  })

  router
    .route('/environments/:id/requests')
    .get(async (request, response) => {
      const { id } = await testEnvironment(context, request.params.id)
      const sought = readSought(request)
      response.json({
        requests: journal.exchanges(id, sought === null ? undefined : await search(id, sought)),
      })
    })
    .delete(async (request, response) => {
      const { id } = await testEnvironment(context, request.params.id)
      journal.clear(id)
      response.json({ requests: [] })
    })
    .all(only('GET, HEAD, DELETE'))

  /** A request tells of an intent's id at most: its order and customer are in the store. */
  async function search(environmentId: string, text: string): Promise<Search> {
    const { intents } = await newestIntents(context, {
      environmentId,
      before: undefined,
      search: { sought: text, status: null },
      count: pageLength,
    })
    return { text, intentIds: new Set(intents.map(({ id }) => id)) }
  }

  router.get('/environments/:id/idempotency', async (request, response) => {
    const { id } = await testEnvironment(context, request.params.id)
    response.json({ keys: journal.keyUses(id) })
  })

  router
    .route('/environments/:id/lint')
    .get(async (request, response) => {
      const { id, allowedOrigins } = await testEnvironment(context, request.params.id)
      // The command line registers origins too.
      lint.resolve(id, allowedOrigins)
      response.json({ findings: lint.findings(id) })
    })
    .delete(async (request, response) => {
      const { id } = await testEnvironment(context, request.params.id)
      lint.clear(id)
      response.json({ findings: [] })
    })
    .all(only('GET, HEAD, DELETE'))
  router.all('/environments', only('GET, HEAD'))
  router.all('/environments/:id/intents', only('GET, HEAD'))
  router.all('/environments/:id/idempotency', only('GET, HEAD'))
  return router
}

const RegisterOrigin = z.strictObject({
  origin: z.string().refine((text) => readOrigin(text) !== undefined),
})

/** Of a list of intents. */
const pageLength = 200

/** Finds a test environment; a live one does not exist here. */
export async function testEnvironment({ db }: Context, id: string): Promise<Environment> {
  const environment = await findEnvironment(db, id)
  if (environment?.mode === 'test') return environment
  throw noEnvironment()
}

export function noEnvironment(): ProblemError {
  return new ProblemError(
    'not_found',
    'There is no test environment with this id; GET /_sandbox/environments lists them.',
  )
}

function summaryOf({ id, merchantName: merchant, allowedOrigins: origins }: Environment): object {
  return { id, merchant, origins }
}

function clockOf(environment: Pick<Environment, 'clockOffset'>, now: Date): object {
  return { offset: environment.clockOffset, now: timeOf(environment, now) }
}
