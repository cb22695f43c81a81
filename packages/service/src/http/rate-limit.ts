/**
 * Rate limits with token buckets. Each instance counts separately. Other clients do not use up the limits of a valid
 * API key.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoopback } from '@pi-checkout/contract/origin'
import type { FastifyRequest } from 'fastify'
import { realNow } from '../clock.ts'
import type { Config } from '../config.ts'
import { ProblemError } from './problem.ts'
import type { Facts } from './request-facts.ts'

type Environment = NonNullable<Facts['environment']>

export type RateLimits = Readonly<ReturnType<typeof createRateLimits>>

/** A client of a limit by address. */
type Client = Pick<FastifyRequest, 'ip'>

/** Counts a request whose API key is unknown. Rejects too many of a client after `failureDelay`. */
export type FailureLimit = (client: Client) => Promise<void>

/** Requests per second of a live environment without `PI_RATE_LIMIT`. Test environments then have no limit. */
const liveRate = 100
const failureRate: Rate = { burst: 20, perSecond: 20 / 60 }

/** Delay in milliseconds of a rejection for too many unknown keys. */
export const failureDelay = 500

/** Ten declines end an intent, so this limit affects only repeated requests. */
const intentConfirms: Rate = { burst: 20, perSecond: 20 / 60 }
/** Many buyers may share one address behind a carrier's network address translation. */
const addressConfirms: Rate = { burst: 1000, perSecond: 20 }

/** Creates the limits of one instance. Clients with an unknown address share a limit. */
export function createRateLimits(
  config: Pick<Config, 'host' | 'publicUrl' | 'rateLimit' | 'trustedProxies'>,
) {
  const perSecond = config.rateLimit ?? liveRate
  const requests = createBuckets({ burst: perSecond * 2, perSecond }, realNow)
  const intents = createBuckets(intentConfirms, realNow)
  const addresses = createBuckets(addressConfirms, realNow)
  // Twice the rate of creates, because each confirmation needs an intent.
  const rate = { burst: perSecond * 10, perSecond: perSecond * 2 }
  const environments = createBuckets(rate, realNow)
  return {
    /** Counts a request of an environment. @throws {ProblemError} If there are too many. */
    request: ({ id, mode }: Environment): void => {
      if (mode === 'live' || config.rateLimit !== undefined) requests.take(id)
    },
    /** Counts a request with an unknown API key. `undefined` if only this host can reach the service. */
    failure: isReachable(config) ? failureLimit(config) : undefined,
    /** Counts a confirmation in a live environment. @throws {ProblemError} If there are too many. */
    confirm: ({ intent, environment }: Confirmation, { ip }: Client): void => {
      if (environment.mode !== 'live') return
      intents.take(intent.id)
      if (config.trustedProxies) addresses.take(ip)
      environments.take(environment.id)
    },
  }
}

interface Confirmation {
  readonly intent: { readonly id: string }
  readonly environment: Environment
}

/** Returns whether clients on other hosts may reach the service, directly or through a proxy. */
function isReachable({
  host,
  publicUrl,
  rateLimit,
  trustedProxies,
}: Parameters<typeof createRateLimits>[0]): boolean {
  const isPublic = publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname)
  return isPublic || !isLoopback(host) || rateLimit !== undefined || trustedProxies !== undefined
}

function failureLimit({ trustedProxies }: Pick<Config, 'trustedProxies'>): FailureLimit {
  const failures = createBuckets(
    failureRate,
    realNow,
    'Too many requests with an unknown API key. Check the key, and wait for the seconds in Retry-After.',
  )
  return async ({ ip }) => {
    try {
      failures.take(trustedProxies ? ip : 'unknown')
    } catch (error) {
      // Delay the response, because some clients ignore 429 and retry immediately.
      await sleep(failureDelay, undefined, { ref: false })
      throw error
    }
  }
}

/** A limit: `burst` tokens in a full bucket, and `perSecond` new tokens. */
export interface Rate {
  readonly burst: number
  readonly perSecond: number
}

/** Maximum number of buckets. With so many that are not full, new names share one. */
export const maxBuckets = 10_000

/** Creates token buckets, each full at first. @param detail - Text if a bucket is empty. */
export function createBuckets(
  { burst, perSecond }: Rate,
  now: () => Date,
  detail = 'Too many requests. Wait for the seconds in Retry-After.',
): { readonly take: (name: string) => void } {
  const levels = new Map<string, Level>()
  const shared: Level = { tokens: burst, at: 0 }
  let droppedAt = 0

  function levelOf(name: string, at: number): Level {
    if (levels.size >= maxBuckets) dropFull(at)
    const level = levels.get(name) ?? (levels.size < maxBuckets ? { tokens: burst, at } : shared)
    level.tokens = refill(level, at)
    level.at = at
    if (level !== shared) levels.set(name, level)
    return level
  }

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
      const level = levelOf(name, now().getTime())
      if (level.tokens >= 1) return void level.tokens--
      const seconds = Math.ceil((1 - level.tokens) / perSecond)
      throw new ProblemError('rate_limited', detail, {
        headers: {
          'retry-after': String(seconds),
          // draft-ietf-httpapi-ratelimit-headers
          'ratelimit-policy': `"default";q=${burst};w=${Math.ceil(burst / perSecond)}`,
          ratelimit: `"default";r=0;t=${seconds}`,
        },
      })
    },
  }
}

interface Level {
  tokens: number
  /** Time of `tokens`, in milliseconds. */
  at: number
}
