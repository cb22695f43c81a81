/**
 * Where in the inspector one is, as a fragment: `#/intents/pi_…`. It survives a reload, the token does
 * not.
 *
 * @module
 */

export const sections = [
  'intents',
  'requests',
  'idempotency',
  'lint',
  'faults',
  'environment',
] as const
export type Section = (typeof sections)[number]

export interface Route {
  readonly section: Section
  /** Of the open intent. */
  readonly intentId?: string | undefined
}

/** Reads a fragment; anything unknown is the list of intents. */
export function readRoute(hash: string): Route {
  const [, name, intentId] = /^#\/([a-z]+)(?:\/([\w-]{1,128}))?$/.exec(hash) ?? []
  const section = sections.find((each) => each === name) ?? 'intents'
  return section === 'intents' ? { section, intentId } : { section }
}

export function writeRoute({ section, intentId }: Route): string {
  return intentId ? `#/${section}/${intentId}` : `#/${section}`
}
