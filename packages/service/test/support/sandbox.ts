/** The sandbox API with the admin token, as a developer uses it. @module */

interface Sandbox {
  readonly url: string
  readonly ready: { readonly adminToken: string }
}

/** Sends one request. */
export async function control(
  { url, ready }: Sandbox,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Response> {
  return await fetch(`${url}/_sandbox${path}`, {
    method,
    headers: {
      authorization: `Bearer ${ready.adminToken}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

/** Returns the id of a merchant's test environment. @default The first merchant's. */
export async function environmentId(service: Sandbox, merchant?: string): Promise<string> {
  const { environments } = (await (await control(service, 'GET', '/environments')).json()) as {
    environments: readonly { id: string; merchant: string }[]
  }
  const found = environments.find((each) => merchant === undefined || each.merchant === merchant)
  if (!found) throw new Error(`There is no test environment of ${merchant}`)
  return found.id
}
