/** Routes of the API description and the API documentation. @module */
import { type RouteName, routes } from '../../shared/routes.ts'
import { readPage } from '../checkout/pages.ts'
import { toolPageHeaders } from '../http/page-headers.ts'
import { type Handler, jsonHeaders, page, redirect } from '../http/response.ts'
import { openapi } from './openapi.ts'

export function apiDocsRoutes({
  publicUrl,
  hostedFolder,
}: {
  readonly publicUrl: string
  readonly hostedFolder: string
}) {
  const description = JSON.stringify(openapi(publicUrl))
  return {
    openapi: () => ({ status: 200, base: jsonHeaders, body: description }),
    home: () => redirect(routes.docs.path),
    // Built from `guides/api.md`.
    docs: () => page(toolPageHeaders, readPage(hostedFolder, 'docs')),
  } satisfies Partial<Record<RouteName, Handler>>
}
