/**
 * Token buckets: how many requests an environment may send, how many wrong keys an address may try.
 *
 * @module
 */
import { isLoopback } from '@pi-checkout/contract/origin'
import type { Config } from '../config.ts'
import type { Environment } from '../merchants/environments.ts'
import { ProblemError } from './problem.ts'

/** The limits of one instance. */
export interface RateLimits {
  /** @throws {ProblemError} The environment has sent too many requests. */
  readonly request: (environment: Environment) => void
  /** Wrong keys by address; `undefined` where only this machine can try. */
  readonly failures: Buckets | undefined
}

/** Live environments are limited in any case, test environments when somebody asks for it. */
const liveRate = 100
const failureRate: Rate = { burst: 20, perSecond: 20 / 60 }

/** Makes the limits of one instance. */
export function rateLimits(config: Pick<Config, 'rateLimit' | 'host'>): RateLimits {
  const perSecond = config.rateLimit ?? liveRate
  const requests = buckets({ burst: perSecond * 2, perSecond }, Date.now)
  const guarded = config.rateLimit !== undefined || !isLoopback(config.host)
  return {
    request: ({ id, mode }) => {
      if (mode === 'live' || config.rateLimit !== undefined) requests.take(id)
    },
    failures: guarded ? buckets(failureRate, Date.now) : undefined,
  }
}

/** A limit: so many at once, and so many more per second. */
export interface Rate {
  readonly burst: number
  readonly perSecond: number
}

/** Buckets by name. */
export interface Buckets {
  /**
   * Takes a token.
   *
   * @throws {ProblemError} `rate_limited`, with the time until the next token.
   */
  take(name: string): void
  /** Tells, taking nothing, whether a token is left; throws as `take` does when none is. */
  check(name: string): void
}

/** How many buckets are kept; beyond, full ones go, and they are the same as none. */
const maxBuckets = 10_000

/** Makes empty buckets. */
export function buckets({ burst, perSecond }: Rate, now: () => number): Buckets {
  const levels = new Map<string, { tokens: number; at: number }>()

  function levelOf(name: string): { tokens: number; at: number } {
    const at = now()
    const known = levels.get(name)
    if (known) {
      known.tokens = filled(known, at)
      known.at = at
      return known
    }
    if (levels.size >= maxBuckets) dropFull(at)
    const level = { tokens: burst, at }
    levels.set(name, level)
    return level
  }

  function filled(level: { readonly tokens: number; readonly at: number }, at: number): number {
    // A clock that was set back takes nothing away: it would lock its visitors out for as long.
    const seconds = Math.max(0, at - level.at) / 1000
    return Math.min(burst, level.tokens + seconds * perSecond)
  }

  function dropFull(at: number): void {
    for (const [name, level] of levels) {
      if (filled(level, at) >= burst) levels.delete(name)
    }
    // Under attack from ever new addresses none is full: memory is worth more than their history.
    if (levels.size >= maxBuckets) levels.clear()
  }

  function refuseEmpty({ tokens }: { readonly tokens: number }): void {
    if (tokens >= 1) return
    const seconds = Math.ceil((1 - tokens) / perSecond)
    throw new ProblemError('rate_limited', 'Too many requests; wait as Retry-After says.', {
      headers: {
        'retry-after': String(seconds),
        // draft-ietf-httpapi-ratelimit-headers
        'ratelimit-policy': `"default";q=${burst};w=${Math.ceil(burst / perSecond)}`,
        ratelimit: `"default";r=0;t=${seconds}`,
      },
    })
  }

  return {
    check: (name) => refuseEmpty(levelOf(name)),
    take: (name) => {
      const level = levelOf(name)
      refuseEmpty(level)
      level.tokens--
    },
  }
}
