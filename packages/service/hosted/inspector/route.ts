/**
 * The inspector's location as a fragment, such as `#/env_…/intents/pi_…`: a reload and a bookmark keep the merchant.
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
}

/** Reads a fragment. An unknown one is the list of intents. */
export function readRoute(hash: string): Route {
  const [, environment, name, id] =
    /^#(?:\/(env_\w{1,64}))?(?:\/([a-z]+))?(?:\/([\w-]{1,128}))?$/.exec(hash) ?? []
  return { environment, section: sections.find((each) => each === name) ?? 'intents', id }
}

export function writeRoute({ environment, section, id }: Route): string {
  return ['#', environment, section, id].filter((part) => part !== undefined).join('/')
}
