/**
 * Limits by token buckets, counted by each instance separately.
 *
 * A valid API key and a payable intent are never rejected because of other clients: wrong keys are
 * charged after their look-up, and an address counts only where it is really the client's.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoopback } from '@pi-checkout/contract/origin'
import { realNow } from '../clock.ts'
import type { Config } from '../config.ts'
import type { ClientAddresses } from './client-address.ts'
import { ProblemError } from './problem.ts'

/** The limits of one instance. */
export interface RateLimits {
  /** @throws {ProblemError} If the environment sends too many requests. */
  readonly request: (environment: LimitedEnvironment) => void
  /** Charges a wrong key; `undefined` if only programs on this host can send one. */
  readonly failure: FailureLimit | undefined
  /** @throws {ProblemError} If too many cards are tried in a live environment. */
  readonly confirm: (confirmation: Confirmation) => void
}

/** An environment, as the limits know it. */
export interface LimitedEnvironment {
  readonly id: string
  readonly mode: 'test' | 'live'
}

/** A card that a buyer sends for an intent. */
export interface Confirmation {
  readonly intentId: string
  readonly environment: LimitedEnvironment
  readonly request: IncomingMessage
}

/**
 * Charges a request whose API key is unknown.
 *
 * @throws {ProblemError} `rate_limited`, after a pause, if its client sent too many.
 */
export type FailureLimit = (request: IncomingMessage) => Promise<void>

/** Live environments always have a limit, test environments only with `PI_RATE_LIMIT`. */
const liveRate = 100
const failureRate: Rate = { burst: 20, perSecond: 20 / 60 }

/** How long the response to a wrong key over the limit takes, in milliseconds. */
export const failureDelay = 500

/**
 * Creates the limits of one instance.
 *
 * @param addressOf - Finds the client's address. Clients without one share the limit of wrong keys.
 */
export function createRateLimits(
  config: Pick<Config, 'host' | 'publicUrl' | 'rateLimit' | 'trustedProxies'>,
  addressOf: ClientAddresses['ofRequest'],
): RateLimits {
  const perSecond = config.rateLimit ?? liveRate
  const requests = createBuckets({ burst: perSecond * 2, perSecond }, realNow)
  return {
    request: ({ id, mode }) => {
      if (mode === 'live' || config.rateLimit !== undefined) requests.take(id)
    },
    failure: isReachable(config) ? failureLimit(addressOf) : undefined,
    confirm: confirmLimit(perSecond, addressOf),
  }
}

/** An intent is final after ten declines, so more is repetition. */
const intentConfirms: Rate = { burst: 20, perSecond: 20 / 60 }
/** Buyers behind a carrier's address translation share one address: so many don't pay at once. */
const addressConfirms: Rate = { burst: 1000, perSecond: 20 }

function confirmLimit(
  requestsPerSecond: number,
  addressOf: ClientAddresses['ofRequest'],
): RateLimits['confirm'] {
  const intents = createBuckets(intentConfirms, realNow)
  const addresses = createBuckets(addressConfirms, realNow)
  // Each confirmation needs an intent, and creates are limited to half of this rate.
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

/** Tells whether clients on other hosts may reach the service, directly or through a proxy. */
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
    'Too many requests with an unknown API key; check the key, and wait as Retry-After says.',
  )
  return async (request) => {
    try {
      failures.take(addressOf(request) ?? 'unknown')
    } catch (error) {
      // 429 alone slows no client that ignores it.
      await sleep(failureDelay)
      throw error
    }
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
}

/** How many buckets are kept; beyond, full ones go, and they are the same as none. */
const maxBuckets = 10_000

/**
 * Creates full buckets.
 *
 * @param detail - What the response says when a bucket is empty.
 */
export function createBuckets(
  { burst, perSecond }: Rate,
  now: () => Date,
  detail = 'Too many requests; wait as Retry-After says.',
): Buckets {
  const levels = new Map<string, { tokens: number; at: number }>()

  function levelOf(name: string): { tokens: number; at: number } {
    const at = now().getTime()
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
    // If the clock moves back, keep the tokens. Subtracting would block clients until it catches up.
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

  function rejectEmpty({ tokens }: { readonly tokens: number }): void {
    if (tokens >= 1) return
    const seconds = Math.ceil((1 - tokens) / perSecond)
    throw new ProblemError('rate_limited', detail, {
      headers: {
        'retry-after': String(seconds),
        // draft-ietf-httpapi-ratelimit-headers
        'ratelimit-policy': `"default";q=${burst};w=${Math.ceil(burst / perSecond)}`,
        ratelimit: `"default";r=0;t=${seconds}`,
      },
    })
  }

  return {
    take: (name) => {
      const level = levelOf(name)
      rejectEmpty(level)
      level.tokens--
    },
  }
}
