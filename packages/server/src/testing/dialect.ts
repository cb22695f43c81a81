/** Rewrites the responses of the fake service for a profile. @module */
import {
  ownProfile,
  type Phase,
  type Profile,
  phaseIn,
  phaseOf,
  type RoleField,
} from '@pi-checkout/contract/profile'
import { headers } from '@pi-checkout/contract/routes'

/** Returns a response as a service with this profile would send it; `undefined` is ours. */
export async function inDialect(
  response: Response,
  profile: Profile | undefined,
): Promise<Response> {
  if (!profile) return response
  const sent = new Headers(response.headers)
  sent.delete(headers.profile)
  if (sent.has(headers.idempotentReplayed)) {
    sent.delete(headers.idempotentReplayed)
    if (profile.replayHeader !== null) sent.set(profile.replayHeader, 'true')
  }
  const text = await response.text()
  let body: Record<string, unknown>
  try {
    body = JSON.parse(text)
  } catch {
    return new Response(text, { status: response.status, headers: sent })
  }
  if (response.ok) {
    return Response.json(withNames(body, profile), { status: response.status, headers: sent })
  }
  const { unknownIntent, keyReused, code } = profile.errors
  const { unknownIntent: ourUnknown, keyReused: ourReused } = ownProfile.errors
  const match = new Map([
    [ourUnknown.code as unknown, unknownIntent],
    [ourReused.code as unknown, keyReused],
  ]).get(body.code)
  const { status = response.status, code: named } = match ?? {}
  if (code === null || named === undefined) {
    sent.set('content-type', 'text/plain')
    return new Response(String(body.title), { status, headers: sent })
  }
  return Response.json(nested(code, named), { status, headers: sent })
}

/** Returns a status of a profile with the same phase as one of ours. */
export function statusIn({ statuses }: Pick<Profile, 'statuses'>, status: string): string {
  const phase: Phase = phaseOf(status)
  if (phaseIn({ statuses }, status) === phase) return status
  const found = Object.keys(statuses).find((name) => statuses[name] === phase)
  if (found !== undefined) return found
  throw new TypeError(`status: the profile has no status for ${JSON.stringify(phase)}.`)
}

function withNames(intent: Record<string, unknown>, profile: Profile): Record<string, unknown> {
  const named = { ...intent }
  const roles = Object.keys(ownProfile.fields) as RoleField[]
  for (const role of roles) delete named[role]
  for (const role of roles) {
    const name = profile.fields[role]
    if (name !== null) named[name] = roleValue(role, intent[role], profile)
  }
  return named
}

function roleValue(role: RoleField, value: unknown, profile: Profile): unknown {
  if (role === 'status') return statusIn(profile, String(value))
  if (!role.endsWith('At') || profile.timestamps === undefined) return value
  const ms = Date.parse(String(value))
  return profile.timestamps === 'seconds' ? Math.floor(ms / 1000) : ms
}

/** Returns an object with a value at a JSON Pointer. */
function nested(pointer: string, value: unknown): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduceRight((inner, name) => ({ [name]: inner }), value)
}
