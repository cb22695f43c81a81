/**
 * The inspector's location as a fragment, such as `#/intents/pi_…`. It survives a reload. The admin token, with
 * which the printed link starts (`#TOKEN/intents/pi_…`), does not.
 *
 * @module
 */

export const sections = ['intents', 'requests', 'lint', 'faults', 'environment'] as const
export type Section = (typeof sections)[number]

export interface Route {
  readonly section: Section
  /** Id of the open intent or request. */
  readonly id?: string | undefined
}

/** Reads a fragment. An unknown one is the list of intents. */
export function readRoute(hash: string): Route {
  const [, name, id] = /^#\/([a-z]+)(?:\/([\w-]{1,128}))?$/.exec(hash) ?? []
  const section = sections.find((each) => each === name) ?? 'intents'
  return section === 'intents' || section === 'requests' ? { section, id } : { section }
}

export function writeRoute({ section, id }: Route): string {
  return id ? `#/${section}/${id}` : `#/${section}`
}

/** Reads a token, or the printed link that contains one. */
export function readToken(text: string): string | undefined {
  return /(?:^|#)([\w-]{43})(?=\/|$)/.exec(text.trim())?.[1]
}
