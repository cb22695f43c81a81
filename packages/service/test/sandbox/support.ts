/**
 * The sandbox control as a developer uses it: with the admin token.
 *
 * @module
 */
import type { TestService } from '../support/service.ts'

/** Sends one control request. */
export async function control(
  { url, ready }: Pick<TestService, 'url' | 'ready'>,
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
