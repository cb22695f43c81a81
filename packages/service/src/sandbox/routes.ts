/** Routes of the sandbox, which controls test environments. @module */
import { join } from 'node:path'
import { limits } from '@pi-checkout/contract'
import { z } from 'zod'
import { type RouteName, routes } from '../../shared/routes.ts'
import { readPage } from '../checkout/pages.ts'
import { jsonBody } from '../http/body.ts'
import { playgroundHeaders, toolPageHeaders } from '../http/page-headers.ts'
import { type Handler, json, jsonHeaders, page, redirect } from '../http/response.ts'
import { staticFolder } from '../http/static-files.ts'
import { environmentRoutes, noEnvironment } from './environment-routes.ts'
import { eventStreams } from './event-stream.ts'
import { writeExport } from './export.ts'
import { importSandbox, readImport } from './import.ts'
import { intentRoutes } from './intent-routes.ts'
import { parseBody, readId } from './parse-request.ts'
import { resetEnvironments } from './reset.ts'
import type { SandboxRoutesOptions } from './sandbox.ts'

export function sandboxRoutes(options: SandboxRoutesOptions) {
  const { db, keys, now, publicUrl, hostedFolder, topics, forget, stopping } = options
  return {
    ...environmentRoutes(options),
    ...intentRoutes(options),

    inspectorFolder: () => redirect(routes.inspector.path),
    // A static page. The fragment of the printed link contains the admin token, and is not sent.
    inspector: () => page(toolPageHeaders(publicUrl), readPage(hostedFolder, 'inspector')),
    playgroundFolder: () => redirect(`${routes.playgroundFolder.path}/`),
    // Shows states and errors of the element with fake hosted pages. Contains no secrets.
    playground: staticFolder(join(hostedFolder, 'playground'), { headers: playgroundHeaders }),

    events: eventStreams({ topics, stopping }),
    export: (call) => {
      const after = readId(call, 'after')
      return {
        status: 200,
        base: jsonHeaders,
        body: async (out) => await writeExport({ db, now }, out, after),
      }
    },
    import: async ({ request }) => {
      const body = await jsonBody(request, { maxBytes: importBytes, maxDepth: importDepth })
      return json(await importSandbox({ db, keys, now }, readImport(body)))
    },
    reset: async (call) => {
      const rule = 'Send {"environment": id of a test environment}, or {} for all of them.'
      const { environment } = await parseBody(call, ResetSchema, rule)
      const deleted = await resetEnvironments(db, environment)
      if (deleted === undefined) throw noEnvironment()
      forget(environment)
      return json({ deleted })
    },
  } satisfies Partial<Record<RouteName, Handler>>
}

const ResetSchema = z.strictObject({
  environment: z
    .string()
    .regex(/^\w{1,128}$/)
    .optional(),
})

const importBytes = 512 * 1024
/** An export nests deeper than a create, because it contains intents with confirmations and cards. */
const importDepth = limits.requestDepth + 3
