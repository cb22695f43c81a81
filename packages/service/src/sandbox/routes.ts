/**
 * Sandbox control over HTTP: for whoever holds this start's admin token, on this machine, never for
 * a live environment.
 *
 * @module
 */
import { limits, paymentIntentIdPattern } from '@pi-checkout/contract'
import { type Request, Router } from 'express'
import { z } from 'zod'
import { readOrigin, type SandboxFrom } from '../config.ts'
import type { Context } from '../context.ts'
import type { Authenticator } from '../http/authenticate.ts'
import { jsonBody } from '../http/body.ts'
import { jsonHeaders } from '../http/headers.ts'
import { ProblemError } from '../http/problem.ts'
import { listApiKeys } from '../merchants/api-keys.ts'
import { type Environment, findEnvironment, timeOf } from '../merchants/environments.ts'
import { addOrigin } from '../merchants/merchants.ts'
import { streamChanges } from './changes.ts'
import { SetClock, setClock } from './clock.ts'
import { writeExport } from './export.ts'
import { faultRoutes } from './fault-routes.ts'
import type { FaultRules } from './faults.ts'
import { adminOnly, localOnly } from './guard.ts'
import { Import, importSandbox } from './import.ts'
import { inspectorPage } from './inspector.ts'
import { playground } from './playground.ts'
import { read } from './read.ts'
import { reset } from './reset.ts'
import type { Sandbox } from './sandbox.ts'
import { outcomes, Settle, settle } from './settle.ts'
import { newestIntents, sandboxIntent, testEnvironments } from './stored.ts'

/** What the control needs besides the context. */
export interface SandboxParts {
  readonly adminToken: string
  readonly sandboxFrom: SandboxFrom
  readonly authenticator: Authenticator
  readonly faults: FaultRules
  /** Ends the streams, so that a stop does not wait for them. */
  readonly stopping: AbortSignal
  /** Options of `pi-service` that reach this store, such as ` --data DIR`; `undefined`: none does. */
  readonly storeOptions: string | undefined
}

/** Returns the routes under `/_sandbox`. */
export function sandboxRouter(context: Context, parts: SandboxParts, sandbox: Sandbox): Router {
  const router = Router({ caseSensitive: true, strict: true })
  if (parts.sandboxFrom === 'loopback') router.use(localOnly)
  router.use(inspectorPage(context))
  router.use('/playground', playground(context))
  router.use(adminOnly(parts.adminToken))
  router.use((_request, response, next) => {
    response.set(jsonHeaders)
    next()
  })
  router.use(faultRoutes(parts.faults, sandbox))
  router.use(environmentRoutes(context, parts, sandbox))
  router.use(intentRoutes(context, sandbox))
  router.use(contentRoutes(context, parts, sandbox))
  router.get('/events', (request, response) => {
    const { db } = context
    streamChanges(request, response, { db, changes: sandbox.changes, stopping: parts.stopping })
  })
  return router
}

function environmentRoutes(
  context: Context,
  { authenticator, storeOptions }: SandboxParts,
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

  async function moveClock(id: string, asked: SetClock): Promise<object> {
    const clockOffset = await setClock(db, id, asked)
    if (clockOffset === undefined) throw noEnvironment()
    // The key look-ups carry the offset.
    authenticator.forget()
    changes.announce('environments', 'intents')
    return clockOf({ clockOffset }, now())
  }

  router.post('/environments/:id/origins', async (request, response) => {
    const rule =
      'Send {"origin": an exact origin such as https://shop.example.com}; http passes on loopback only.'
    const { origin } = await read(request, RegisterOrigin, rule)
    const { id } = await testEnvironment(context, request.params.id)
    const origins = await addOrigin(db, { environmentId: id, origin })
    authenticator.forget()
    lint.resolve(id, origin)
    changes.announce('environments')
    response.status(201).json({ origins })
  })

  router.get('/environments/:id/intents', async (request, response) => {
    const { id } = await testEnvironment(context, request.params.id)
    const before = readBefore(request)
    response.json(await newestIntents(context, { environmentId: id, before, count: pageLength }))
  })

  router.get('/environments/:id/requests', async (request, response) => {
    const { id } = await testEnvironment(context, request.params.id)
    response.json({ requests: journal.exchanges(id) })
  })

  router.get('/environments/:id/idempotency', async (request, response) => {
    const { id } = await testEnvironment(context, request.params.id)
    response.json({ keys: journal.keyUses(id) })
  })

  router.get('/environments/:id/lint', async (request, response) => {
    const { id } = await testEnvironment(context, request.params.id)
    response.json({ findings: lint.findings(id) })
  })
  return router
}

const RegisterOrigin = z.strictObject({
  origin: z.string().refine((text) => readOrigin(text) !== undefined),
})

/** Of a list of intents. */
const pageLength = 200

/** `?before=pi_…`. Everything else in the query is ignored. */
function readBefore({ url }: Request): string | undefined {
  const before = new URL(url, 'http://localhost').searchParams.get('before')
  if (before === null || paymentIntentIdPattern.test(before)) return before ?? undefined
  throw new ProblemError('validation_failed', 'before must be the id of a Payment Intent.')
}

function intentRoutes(context: Context, { changes }: Sandbox): Router {
  const router = Router({ caseSensitive: true, strict: true })

  router.get('/intents/:id', async (request, response) => {
    const found = await sandboxIntent(context, request.params.id)
    if (!found) throw refused('payment_intent_not_found')
    const { secret: _, idempotency, ...shown } = found
    response.json({ ...shown, replayUntil: idempotency?.expiresAt ?? null })
  })

  router.post('/intents/:id/settle', async (request, response) => {
    const { outcome } = await read(
      request,
      Settle,
      `Send {"outcome": one of ${outcomes.join(', ')}}.`,
    )
    const settled = await settle(context, request.params.id, outcome)
    if ('refusal' in settled) throw refused(settled.refusal)
    changes.announce('intents')
    response.json({ id: settled.id, status: settled.status })
  })
  return router
}

function contentRoutes(
  context: Context,
  { authenticator, faults }: SandboxParts,
  { changes, journal, lint }: Sandbox,
): Router {
  const router = Router({ caseSensitive: true, strict: true })

  router.get('/export', async (_request, response) => {
    await writeExport(context, response)
  })

  router.post('/import', async (request, response) => {
    const body = await jsonBody(request, { maxBytes: importBytes, maxDepth: importDepth })
    const sandbox = Import.safeParse(body)
    if (!sandbox.success) {
      const [{ path = [], message = '' } = {}] = sandbox.error.issues
      throw new ProblemError(
        'validation_failed',
        `Send what GET /_sandbox/export answered; ${path.join('.') || 'the body'} does not fit: ${message}.`,
      )
    }
    const imported = await importSandbox(context, sandbox.data)
    authenticator.forget()
    changes.announce('environments', 'intents')
    response.json(imported)
  })

  router.post('/reset', async (request, response) => {
    const { environment } = await read(
      request,
      Reset,
      'Send {"environment": its id}, or {} for every test environment.',
    )
    const deleted = await reset(context.db, environment)
    if (deleted === undefined) throw noEnvironment()
    authenticator.forget()
    faults.clear()
    journal.clear(environment)
    lint.clear(environment)
    changes.announce('environments', 'faults', 'intents')
    response.json({ deleted })
  })
  return router
}

const Reset = z.strictObject({ environment: z.string().optional() })

const importBytes = 32 * 1024 * 1024
/** An export nests deeper than a request: down to the card of an attempt of an intent. */
const importDepth = limits.requestDepth + 3

/** Finds a test environment; a live one does not exist here. */
async function testEnvironment({ db }: Context, id: string): Promise<Environment> {
  const environment = await findEnvironment(db, id)
  if (environment?.mode === 'test') return environment
  throw noEnvironment()
}

function noEnvironment(): ProblemError {
  return new ProblemError(
    'not_found',
    'There is no test environment with this id; GET /_sandbox/environments lists them.',
  )
}

function refused(code: keyof typeof refusals): ProblemError {
  return new ProblemError(code, refusals[code])
}

const refusals = {
  payment_intent_not_found: 'No test environment has a Payment Intent with this id.',
  intent_finalized: 'The Payment Intent is final; nothing changes it any more.',
  attempt_in_progress: 'The payment is processing and cannot be canceled; settle it instead.',
  version_conflict: 'The Payment Intent has moved on; read it again.',
} as const

function summaryOf({ id, merchantName: merchant, allowedOrigins: origins }: Environment): object {
  return { id, merchant, origins }
}

function clockOf(environment: Pick<Environment, 'clockOffset'>, now: Date): object {
  return { offset: environment.clockOffset, now: timeOf(environment, now) }
}
