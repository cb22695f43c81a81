/** What the playground can show: each state and each error, with a minimal cause. @module */
import type { FakeHostedPageOptions } from '../src/testing/index.ts'

/** One entry of the list. Without `fake` it shows the real hosted page, or mounts nothing. */
export interface Scenario {
  readonly title: string
  /** Replaces the hosted page in the frame. */
  readonly fake?: FakeHostedPageOptions
  /** When the frame's address becomes unreachable: at its start, or two seconds later. */
  readonly unreachableFrom?: 'start' | 'later'
  /** What is wrong with the page around the element. */
  readonly pageError?:
    | 'unconfigured'
    | 'insecure'
    | 'policy'
    | 'isolated'
    | 'offline'
    | 'id'
    | 'paid'
}

export const scenarios = {
  real: { title: 'Your own id and secret, on the real hosted page' },
  ready: { title: 'ready', fake: {} },
  slow: { title: 'loading for three seconds', fake: { steps: [{ wait: 3000 }, 'ready'] } },
  busy: { title: 'busy', fake: { steps: ['ready', { wait: 1000 }, 'busy'] } },
  finished: { title: 'finished', fake: { steps: ['ready', { wait: 1000 }, 'finish'] } },
  canceled: { title: 'finished by cancel', fake: { steps: ['ready', { wait: 1000 }, 'cancel'] } },
  tall: { title: 'a page that grows', fake: { steps: ['ready', { wait: 1000 }, { size: 1200 }] } },
  not_configured: { title: 'not_configured', pageError: 'unconfigured' },
  insecure_context: { title: 'insecure_context', pageError: 'insecure' },
  handoff_failed: { title: 'handoff_failed', pageError: 'paid' },
  invalid_values: { title: 'invalid_values', pageError: 'id' },
  blocked_by_csp: { title: 'blocked_by_csp', pageError: 'policy' },
  cross_origin_isolated: { title: 'cross_origin_isolated', pageError: 'isolated' },
  origin_not_allowed: {
    title: 'origin_not_allowed',
    fake: { steps: [{ fail: 'origin_not_allowed' }] },
  },
  protocol_mismatch: { title: 'protocol_mismatch', fake: { versions: [2] } },
  unauthorized: { title: 'unauthorized', fake: { steps: [{ fail: 'unauthorized' }] } },
  offline: { title: 'offline', unreachableFrom: 'start', pageError: 'offline' },
  unreachable: { title: 'unreachable', unreachableFrom: 'start' },
  connection_lost: { title: 'connection_lost', fake: { steps: [] }, unreachableFrom: 'later' },
  internal: { title: 'internal', fake: { steps: [{ fail: 'internal' }] } },
} as const satisfies Record<string, Scenario>

export type ScenarioName = keyof typeof scenarios
