/**
 * Sandbox control over HTTP: for whoever holds this start's admin token, on this machine, never for
 * a live environment.
 *
 * @module
 */
import { limits } from '@pi-checkout/contract'
import { Router } from 'express'
import { z } from 'zod'
import type { SandboxFrom } from '../config.ts'
import type { Context } from '../context.ts'
import { jsonBody } from '../http/body.ts'
import { jsonHeaders } from '../http/headers.ts'
import { only } from '../http/method-not-allowed.ts'
import { changeStreams } from './changes.ts'
import { type EnvironmentParts, environmentRoutes, noEnvironment } from './environment-routes.ts'
import { writeExport } from './export.ts'
import { faultRoutes } from './fault-routes.ts'
import type { FaultRules } from './faults.ts'
import { adminOnly, localOnly, noNull } from './guard.ts'
import { importSandbox, readImport } from './import.ts'
import { inspectorPage } from './inspector.ts'
import { intentRoutes } from './intent-routes.ts'
import { playground } from './playground.ts'
import { readId } from './query.ts'
import { read } from './read.ts'
import { reset } from './reset.ts'
import type { Sandbox } from './sandbox.ts'

/** What the control needs besides the context. */
export interface SandboxParts extends EnvironmentParts {
  readonly adminToken: string
  readonly sandboxFrom: SandboxFrom
  readonly faults: FaultRules
  /** Ends the streams, so that a stop does not wait for them. */
  readonly stopping: AbortSignal
}

/** Returns the routes under `/_sandbox`. */
export function sandboxRouter(context: Context, parts: SandboxParts, sandbox: Sandbox): Router {
  const router = Router({ caseSensitive: true, strict: true })
  if (parts.sandboxFrom === 'loopback') router.use(localOnly)
  router.use(inspectorPage(context))
  router.use('/playground', playground(context))
  router.use(adminOnly(parts.adminToken), noNull)
  router.use((_request, response, next) => {
    response.set(jsonHeaders)
    next()
  })
  router.use(faultRoutes(context, parts.faults, sandbox))
  router.use(environmentRoutes(context, parts, sandbox))
  router.use(intentRoutes(context, sandbox))
  router.use(contentRoutes(context, parts, sandbox))
  const { changes } = sandbox
  const streamTo = changeStreams({ db: context.db, changes, stopping: parts.stopping })
  router.get('/events', (_request, response) => streamTo(response))
  router.all('/events', only('GET, HEAD'))
  return router
}

function contentRoutes(
  context: Context,
  { authenticator, faults }: SandboxParts,
  { changes, journal, lint }: Sandbox,
): Router {
  const router = Router({ caseSensitive: true, strict: true })

  router.get('/export', async (request, response) => {
    await writeExport(context, response, readId(request, 'after'))
  })

  router.post('/import', async (request, response) => {
    const body = await jsonBody(request, { maxBytes: importBytes, maxDepth: importDepth })
    const imported = await importSandbox(context, readImport(body))
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
    faults.clear(environment)
    journal.clear(environment)
    journal.clearKeyUses(environment)
    lint.clear(environment)
    changes.announce('environments', 'faults', 'intents')
    response.json({ deleted })
  })
  router.all('/export', only('GET, HEAD'))
  router.all('/import', only('POST'))
  router.all('/reset', only('POST'))
  return router
}

const Reset = z.strictObject({
  environment: z
    .string()
    .regex(/^\w{1,128}$/)
    .optional(),
})

const importBytes = 512 * 1024
/** An export nests deeper than a request: down to the card of an attempt of an intent. */
const importDepth = limits.requestDepth + 3
