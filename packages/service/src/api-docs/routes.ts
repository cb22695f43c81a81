/** Routes of the API description and the API documentation. @module */
import type { RouteName } from '../../shared/routes.ts'
import { toolPageHeaders } from '../http/page-headers.ts'
import { type Handler, jsonHeaders, page } from '../http/response.ts'
import { staticFile } from '../http/static-files.ts'
import { openapi } from './openapi.ts'
import { docsPage } from './page.ts'

export function apiDocsRoutes({
  publicUrl,
  hostedFolder,
}: {
  readonly publicUrl: string
  readonly hostedFolder: string
}) {
  const description = JSON.stringify(openapi(publicUrl))
  const docs = docsPage(publicUrl)
  const pageHeaders = toolPageHeaders(publicUrl)
  return {
    openapi: () => ({ status: 200, base: jsonHeaders, body: description }),
    docs: () => page(pageHeaders, docs),
    llms: staticFile(hostedFolder, 'llms.txt', { headers: () => fileHeaders }),
    docsStyle: staticFile(hostedFolder, 'docs.css', { headers: () => fileHeaders }),
  } satisfies Partial<Record<RouteName, Handler>>
}

const fileHeaders = {
  'cache-control': 'no-cache',
  'cross-origin-resource-policy': 'same-origin',
}
