/**
 * Rate limits by environment and intent, with token buckets. Each instance counts separately.
 *
 * @module
 */
import type { Config } from '../config.ts'
import { ProblemError } from './problem.ts'
import type { Facts } from './request-facts.ts'

type Environment = NonNullable<Facts['environment']>

interface Confirmed {
  readonly intent: { readonly id: string }
  readonly environment: Environment
}

/** Requests per second of a live environment without `PI_RATE_LIMIT`. Test environments then have no limit. */
const liveRate = 100

/** Ten declines end an intent, so this limit affects only repeated requests. */
const intentConfirms: Rate = { burst: 20, perSecond: 20 / 60 }

/** Creates the limits of one instance. */
export function createRateLimits(config: Pick<Config, 'rateLimit'>) {
  const perSecond = config.rateLimit ?? liveRate
  const requests = createBuckets({ burst: perSecond * 2, perSecond })
  const intents = createBuckets(intentConfirms)
  // Twice the rate of creates, because each confirmation needs an intent.
  const environments = createBuckets({ burst: perSecond * 10, perSecond: perSecond * 2 })
  return {
    /** Counts a request of an environment. @throws {ProblemError} If there are too many. */
    request: ({ id, mode }: Environment): void => {
      if (mode === 'live' || config.rateLimit !== undefined) requests.take(id)
    },
    /** Counts a confirmation in a live environment. @throws {ProblemError} If there are too many. */
    confirm: ({ intent, environment }: Confirmed): void => {
      if (environment.mode !== 'live') return
      intents.take(intent.id)
      environments.take(environment.id)
    },
  }
}

/** A limit: `burst` tokens in a full bucket, and `perSecond` new tokens. */
export interface Rate {
  readonly burst: number
  readonly perSecond: number
}

/** Maximum number of buckets. With so many that are not full, new names share one. */
export const maxBuckets = 10_000
const shared = 'shared'

/** Creates token buckets, each full at first. */
export function createBuckets(
  { burst, perSecond }: Rate,
  now = (): Date => new Date(),
): { readonly take: (name: string) => void } {
  const levels = new Map<string, Level>()
  let droppedAt = 0

  function refill({ tokens, at: last }: Level, at: number): number {
    // If the clock moves back, keep the tokens. Subtracting would block clients until it catches up.
    return Math.min(burst, tokens + (Math.max(0, at - last) / 1000) * perSecond)
  }

  /** Removes the full buckets, which changes no limit, at most once a second. */
  function dropFull(at: number): void {
    if (Math.abs(at - droppedAt) < 1000) return
    droppedAt = at
    for (const [name, level] of levels) {
      if (refill(level, at) >= burst) levels.delete(name)
    }
  }

  return {
    /** Takes a token. @throws {ProblemError} `rate_limited`, with the time until the next one. */
    take: (name) => {
      const at = now().getTime()
      if (levels.size >= maxBuckets) dropFull(at)
      const bucket = levels.has(name) || levels.size < maxBuckets ? name : shared
      const tokens = refill(levels.get(bucket) ?? { tokens: burst, at }, at)
      if (tokens >= 1) return void levels.set(bucket, { tokens: tokens - 1, at })
      levels.set(bucket, { tokens, at })
      const seconds = Math.ceil((1 - tokens) / perSecond)
      const detail = 'Too many requests. Wait for the seconds in Retry-After.'
      throw new ProblemError('rate_limited', detail, { headers: { 'retry-after': `${seconds}` } })
    },
  }
}

interface Level {
  readonly tokens: number
  /** Time of `tokens`, in milliseconds. */
  readonly at: number
}
