/**
 * The inspector's location as a fragment, such as `#/env_…/intents/pi_…?q=A-1001`: a reload and a bookmark keep it.
 * A link of another program names no environment. The printed link starts with the admin token, which leaves the
 * address at once.
 *
 * @module
 */

export const sections = ['intents', 'requests', 'faults', 'settings'] as const
export type Section = (typeof sections)[number]

export interface Route {
  /** Id of the merchant's test environment. */
  readonly environment?: string | undefined
  readonly section: Section
  /** Id of the open intent or request. */
  readonly id?: string | undefined
  /** Text that the list is searched for. */
  readonly q?: string | undefined
  /** Name of the list's filter. */
  readonly filter?: string | undefined
}

/** Reads a fragment. An unknown one is the list of intents. */
export function readRoute(hash: string): Route {
  const [, environment, name, id, query] =
    /^#(?:\/(env_\w{1,64}))?(?:\/([a-z]+))?(?:\/([\w-]{1,128}))?(?:\?(.*))?$/.exec(hash) ?? []
  const { q, filter } = Object.fromEntries(new URLSearchParams(query))
  return {
    environment,
    section: sections.find((each) => each === name) ?? 'intents',
    id,
    q,
    filter,
  }
}

export function writeRoute({ environment, section, id, q, filter }: Route): string {
  const path = ['#', environment, section, id].filter((part) => part !== undefined).join('/')
  const query = new URLSearchParams()
  if (q) query.set('q', q)
  if (filter) query.set('filter', filter)
  return query.size > 0 ? `${path}?${query}` : path
}
