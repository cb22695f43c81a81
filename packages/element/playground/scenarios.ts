/**
 * What the playground can show: each state and each error, with the least that brings it about.
 *
 * @module
 */
import type { FakeHostedPageOptions } from '../src/testing.ts'

/** One entry of the list. Without a `fake` it shows the real hosted page, or mounts nothing. */
export interface Scenario {
  readonly title: string
  /** The page in the frame. */
  readonly fake?: FakeHostedPageOptions
  /** The frame's address is nobody's: from the start, or half a second after the handshake. */
  readonly dead?: 'at once' | 'later'
  /** What is wrong with the page around the element. */
  readonly fault?: 'unconfigured' | 'insecure' | 'policy' | 'isolated' | 'offline' | 'id'
}

export const scenarios = {
  real: { title: 'Your own pair, on the real hosted page' },
  ready: { title: 'ready', fake: {} },
  slow: { title: 'loading for three seconds', fake: { steps: [{ wait: 3000 }, 'ready'] } },
  busy: { title: 'busy', fake: { steps: ['ready', { wait: 1000 }, 'busy'] } },
  finished: { title: 'finished', fake: { steps: ['ready', { wait: 1000 }, 'finish'] } },
  canceled: { title: 'finished by cancel', fake: { steps: ['ready', { wait: 1000 }, 'cancel'] } },
  tall: { title: 'a page that grows', fake: { steps: ['ready', { wait: 1000 }, { size: 1200 }] } },
  not_configured: { title: 'not_configured', fault: 'unconfigured' },
  insecure_context: { title: 'insecure_context', fault: 'insecure' },
  invalid_values: { title: 'invalid_values', fault: 'id' },
  blocked_by_csp: { title: 'blocked_by_csp', fault: 'policy' },
  cross_origin_isolated: { title: 'cross_origin_isolated', fault: 'isolated' },
  origin_not_allowed: {
    title: 'origin_not_allowed',
    fake: { steps: [{ fail: 'origin_not_allowed' }] },
  },
  protocol_mismatch: { title: 'protocol_mismatch', fake: { versions: [2] } },
  unauthorized: { title: 'unauthorized', fake: { steps: [{ fail: 'unauthorized' }] } },
  offline: { title: 'offline', dead: 'at once', fault: 'offline' },
  unreachable: { title: 'unreachable', dead: 'at once' },
  connection_lost: { title: 'connection_lost', fake: { steps: [] }, dead: 'later' },
  internal: { title: 'internal', fake: { steps: [{ fail: 'internal' }] } },
} as const satisfies Record<string, Scenario>

export type ScenarioName = keyof typeof scenarios
