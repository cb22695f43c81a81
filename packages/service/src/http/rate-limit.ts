/**
 * Rate limits with token buckets. Each instance counts separately. Other clients do not use up the limits of a valid
 * API key.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoopback } from '@pi-checkout/contract/origin'
import { realNow } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Call } from './call.ts'
import type { ClientAddresses } from './client-address.ts'
import { ProblemError } from './problem.ts'

export type RateLimits = Readonly<ReturnType<typeof createRateLimits>>

/** Counts a request whose API key is unknown. Rejects too many of a client after `failureDelay`. */
export type FailureLimit = (request: IncomingMessage) => Promise<void>

/** Requests per second of a live environment without `PI_RATE_LIMIT`. Test environments then have no limit. */
export const liveRate = 100
export const failureRate: Rate = { burst: 20, perSecond: 20 / 60 }

/** Delay in milliseconds of a rejection for too many unknown keys. */
export const failureDelay = 500

/** Creates the limits of one instance. Clients with an unknown address share a limit. */
export function createRateLimits(
  config: Pick<Config, 'host' | 'publicUrl' | 'rateLimit' | 'trustedProxies'>,
  addressOf: ClientAddresses['ofRequest'],
) {
  const perSecond = config.rateLimit ?? liveRate
  const requests = createBuckets({ burst: perSecond * 2, perSecond }, realNow)
  return {
    /** Counts a request of an environment. @throws {ProblemError} If there are too many. */
    request: ({ id, mode }: NonNullable<Call['environment']>): void => {
      if (mode === 'live' || config.rateLimit !== undefined) requests.take(id)
    },
    /** Counts a request with an unknown API key. `undefined` if only this host can reach the service. */
    failure: isReachable(config) ? failureLimit(addressOf) : undefined,
    /** Counts a confirmation in a live environment. @throws {ProblemError} If there are too many. */
    confirm: confirmLimit(perSecond, addressOf),
  }
}

/** Ten declines end an intent, so this limit affects only repeated requests. */
export const intentConfirms: Rate = { burst: 20, perSecond: 20 / 60 }
/** Many buyers may share one address behind a carrier's network address translation. */
export const addressConfirms: Rate = { burst: 1000, perSecond: 20 }

function confirmLimit(
  requestsPerSecond: number,
  addressOf: ClientAddresses['ofRequest'],
): (confirmation: {
  readonly intentId: string
  readonly environment: NonNullable<Call['environment']>
  readonly request: IncomingMessage
}) => void {
  const intents = createBuckets(intentConfirms, realNow)
  const addresses = createBuckets(addressConfirms, realNow)
  // Twice the rate of creates, because each confirmation needs an intent.
  const environments = createBuckets(
    { burst: requestsPerSecond * 10, perSecond: requestsPerSecond * 2 },
    realNow,
  )
  return ({ intentId, environment: { id, mode }, request }) => {
    if (mode !== 'live') return
    intents.take(intentId)
    const address = addressOf(request)
    if (address !== undefined) addresses.take(address)
    environments.take(id)
  }
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

function failureLimit(addressOf: ClientAddresses['ofRequest']): FailureLimit {
  const failures = createBuckets(
    failureRate,
    realNow,
    'Too many requests with an unknown API key. Check the key, and wait for the seconds in Retry-After.',
  )
  return async (request) => {
    try {
      failures.take(addressOf(request) ?? 'unknown')
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

/** Maximum number of stored buckets. Beyond it full ones are removed, which changes no limit. */
const maxBuckets = 10_000

/** Creates token buckets, each full at first. @param detail - Text if a bucket is empty. */
export function createBuckets(
  { burst, perSecond }: Rate,
  now: () => Date,
  detail = 'Too many requests. Wait for the seconds in Retry-After.',
): { readonly take: (name: string) => void } {
  const levels = new Map<string, { tokens: number; at: number }>()

  function levelOf(name: string): { tokens: number; at: number } {
    const at = now().getTime()
    const existing = levels.get(name)
    if (existing) {
      existing.tokens = refill(existing, at)
      existing.at = at
      return existing
    }
    if (levels.size >= maxBuckets) dropFull(at)
    const level = { tokens: burst, at }
    levels.set(name, level)
    return level
  }

  function refill(level: { readonly tokens: number; readonly at: number }, at: number): number {
    // If the clock moves back, keep the tokens. Subtracting would block clients until it catches up.
    const seconds = Math.max(0, at - level.at) / 1000
    return Math.min(burst, level.tokens + seconds * perSecond)
  }

  function dropFull(at: number): void {
    for (const [name, level] of levels) {
      if (refill(level, at) >= burst) levels.delete(name)
    }
    // In an attack from ever new addresses no bucket is full. Clear them to limit memory.
    if (levels.size >= maxBuckets) levels.clear()
  }

  return {
    /** Takes a token. @throws {ProblemError} `rate_limited`, with the time until the next one. */
    take: (name) => {
      const level = levelOf(name)
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
