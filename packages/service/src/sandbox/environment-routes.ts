/** Routes of test environments: their creation, clock, origins, keys, and reset. @module */
import { readOrigin } from '@pi-checkout/contract/origin'
import { z } from 'zod'
import { routes } from '../../shared/routes.ts'
import type { SandboxEnvironment } from '../../shared/sandbox-api.ts'
import type { App } from '../http/app.ts'
import { notFound, ProblemError } from '../http/problem.ts'
import { json } from '../http/send.ts'
import { newId } from '../ids.ts'
import { type ApiKey, createApiKey, listApiKeys } from '../merchants/api-keys.ts'
import {
  changeOrigin,
  type Environment,
  ensureEnvironment,
  listEnvironments,
} from '../merchants/environments.ts'
import type { AppOptions } from '../options.ts'
import type { Database } from '../store/database.ts'
import { sql } from '../store/sql.ts'
import { deleteAllIntents } from './intents.ts'

export function addEnvironmentRoutes(app: App, options: AppOptions): void {
  const { db, now, faults, requestLog } = options

  const shown = (environment: Environment, keys: readonly ApiKey[] = []): SandboxEnvironment => ({
    id: environment.id,
    merchant: environment.merchantName,
    origins: environment.allowedOrigins,
    clock: { offset: environment.clockOffset },
    keys: keys
      .filter((key) => key.environment === 'test' && key.merchant === environment.merchantName)
      .filter(({ revokedAt }) => revokedAt === null)
      .map(({ display, createdAt }) => ({ display, createdAt })),
  })
  /** Forgets what this instance has of an environment. */
  const forget = (id: string): void => {
    faults.clear(id)
    requestLog.clear(id)
  }

  app.get(routes.environments.path, async (_request, reply) => {
    const [environments, keys] = [await listEnvironments(db), await listApiKeys(db)]
    const listed = environments
      .filter(({ mode }) => mode === 'test')
      .map((environment) => shown(environment, keys))
    return json(reply, { environments: listed })
  })
  app.post(
    routes.createEnvironment.path,
    { schema: { body: CreateEnvironmentSchema } },
    async ({ body: { origins } }, reply) => {
      const name = { merchantName: newId('Test ', 12), mode: 'test' } as const
      const environment = await ensureEnvironment(db, { ...name, origins }, now())
      const { apiKey } = await createApiKey(db, { environment, now: now() })
      return json(reply, { ...shown(environment), apiKey }, 201)
    },
  )
  app.delete(routes.deleteEnvironment.path, async ({ environment }, reply) => {
    const { id } = environment
    await deleteAllIntents(db, id)
    await db.query(sql`delete from environments where id = ${id} and mode = 'test'`)
    db.notify('environments')
    forget(id)
    return json(reply, { id })
  })
  app.post(routes.reset.path, async ({ environment: { id } }, reply) => {
    const deleted = await deleteAllIntents(db, id)
    await setClock(db, id, { offset: 0 })
    forget(id)
    return json(reply, { deleted })
  })

  app.put(
    routes.setClock.path,
    { schema: { body: SetClock } },
    async ({ environment, body }, reply) => {
      const offset = await setClock(db, environment.id, body)
      if (offset !== undefined) return json(reply, { offset })
      throw new ProblemError('validation_failed', 'The clock must stay within ten years of now.')
    },
  )

  app.post(
    routes.addOrigin.path,
    { schema: { body: z.strictObject({ origin: Origin }) } },
    async ({ environment, body: { origin } }, reply) => {
      const origins = await changeOrigin(db, 'add', { environmentId: environment.id, origin })
      return json(reply, { origins }, 201)
    },
  )
  app.delete(
    routes.removeOrigin.path,
    { schema: { querystring: z.object({ origin: z.string('must be an origin') }) } },
    async ({ environment, query: { origin } }, reply) => {
      const origins = await changeOrigin(db, 'remove', { environmentId: environment.id, origin })
      if (origins) return json(reply, { origins })
      throw notFound('This origin is not registered. Send a registered one as ?origin=.')
    },
  )

  app.post(routes.createKey.path, async ({ environment }, reply) =>
    json(reply, await createApiKey(db, { environment, now: now() }), 201),
  )
}

/** Maximum distance from real time in milliseconds, which keeps dates in four-digit years. */
const maxOffset = 3650 * 24 * 60 * 60 * 1000
const Milliseconds = z.int().min(-maxOffset).max(maxOffset)

/** Change of a clock: an offset from real time, or a step from its current time, in milliseconds. */
const SetClock = z.union([
  z.strictObject({ offset: Milliseconds }),
  z.strictObject({ advance: Milliseconds }),
])

const originRule =
  'must be an exact origin such as https://shop.example.com; http is accepted for loopback only'
const Origin = z.string(originRule).refine((text) => readOrigin(text) !== undefined, {
  message: originRule,
  params: { code: 'invalid_format' },
})
const CreateEnvironmentSchema = z.strictObject({
  origins: z.array(Origin).max(20, 'must be at most 20 origins').default([]),
})

/**
 * Sets a clock back without undoing an expiry that was read.
 *
 * @returns The offset in milliseconds. `undefined` if it would be too large.
 */
async function setClock(
  db: Database,
  environmentId: string,
  change: z.infer<typeof SetClock>,
): Promise<number | undefined> {
  // An offset replaces the current one, and a step adds to it.
  const [factor, step] = 'offset' in change ? [0, change.offset] : [1, change.advance]
  const [changed] = await db.query<{ offset: number }>(sql`
    update environments set clock_offset = clock_offset * ${factor} + ${step}
     where id = ${environmentId} and mode = 'test'
       and clock_offset * ${factor} + ${step} between ${-maxOffset} and ${maxOffset}
    returning clock_offset as "offset"`)
  db.notify('environments')
  return changed?.offset
}
