/**
 * A running checkout with real listeners on free ports and a clock that tests move, and clients of its private API
 * and of the test bank.
 *
 * @module
 */
import { fileURLToPath } from 'node:url'
import type { CreatePaymentIntent } from '@pi-checkout/contract'
import { startSite } from '@pi-checkout/test-support/sites'
import { pino } from 'pino'
import type { ChallengeTicket, CheckoutView, SessionGrant } from '../../shared/checkout-api.ts'
import { type AppOptions, mainListener, testBankListener } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createRateLimits } from '../../src/http/rate-limit.ts'
import { randomBase62 } from '../../src/ids.ts'
import { clientSecret } from '../../src/intents/client-secret.ts'
import { createIntentStore } from '../../src/intents/store.ts'
import { createAuthenticator } from '../../src/merchants/authenticate.ts'
import { addOrigin } from '../../src/merchants/merchants.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { newSecretKeys, readSecretKeys } from '../../src/secret-keys.ts'
import { createWaits } from '../../src/waiting/waits.ts'
import { atEnd } from './lifetime.ts'
import { newIntent, openTestStore } from './store.ts'

/** The origin of the tests' shop. */
export const shop = 'http://shop.example.localhost:3000'

export interface Pair {
  readonly id: string
  readonly clientSecret: string
}

interface IntentChanges extends Partial<CreatePaymentIntent> {
  /** @default 'env_test' */
  readonly environmentId?: string
}

/**
 * Starts one on loopback.
 *
 * @param options - `hosts`: names under which browsers reach the two listeners · `db`: a migrated store with
 * merchants, in memory by default · `keys`, `publicUrl`: shared with another instance.
 */
export async function startCheckout({
  hosts = { checkout: '127.0.0.1', challenge: '127.0.0.1' },
  keys = readSecretKeys(newSecretKeys()),
  ...given
}: {
  readonly hosts?: { readonly checkout: string; readonly challenge: string }
} & Partial<Pick<AppOptions, 'db' | 'keys' | 'publicUrl'>> = {}) {
  const db = given.db ?? (await openTestStore())
  const [checkout, challenge] = await Promise.all([startSite(), startSite()])
  const logged: string[] = []
  const log = pino({}, { write: (line: string) => void logged.push(line) })
  let offset = 0
  const now = (): Date => new Date(Date.now() + offset)
  const stopping = new AbortController()
  const context: AppOptions = {
    ...{ db, keys, log, now },
    publicUrl: given.publicUrl ?? `http://${hosts.checkout}:${checkout.port}`,
    challengeUrl: `http://${hosts.challenge}:${challenge.port}`,
    hostedFolder: fileURLToPath(new URL('../../dist/hosted/', import.meta.url)),
    authenticator: createAuthenticator({ db, keys, now }),
    limits: createRateLimits(readConfig({}, {}), () => undefined),
    intents: createIntentStore({ db, now }),
    waits: createWaits({ db, log, now }, stopping.signal),
    stopping: stopping.signal,
    draining: stopping.signal,
    adminToken: randomBase62(30),
    sandboxFrom: 'loopback',
    ...createSandbox(now, true),
    storeOptions: undefined,
    metrics: false,
  }
  checkout.serve(mainListener(context))
  challenge.serve(testBankListener(context))
  const close = atEnd(async () => {
    await Promise.all([checkout.close(), challenge.close()])
    if (!given.db) await db.close()
  })
  return {
    ...{ context, db, close },
    /** Lines of its log. */
    logged: logged as readonly string[],
    url: context.publicUrl,
    challengeUrl: context.challengeUrl,
    /** The address for requests from Node.js: only browsers resolve `*.localhost`. */
    nodeUrl: checkout.origin,
    createIntent: async ({ environmentId = 'env_test', ...changes }: IntentChanges = {}) => {
      const customer = { id: 'cus_1', email: 'ani@example.com' }
      const given = { customer, metadata: { note: 'gift' }, ...changes }
      const secretKid = keys.currentKid
      const intent = newIntent({ environmentId, secretKid, createdAt: now(), ...given })
      await context.intents.create({ intent })
      return { id: intent.id, clientSecret: clientSecret(keys, intent) }
    },
    registerOrigin: async (origin: string, environmentId = 'env_test'): Promise<void> => {
      await addOrigin(db, { environmentId, origin })
    },
    /** Advances real time. */
    advance: (milliseconds: number): void => {
      offset += milliseconds
    },
    /** Signals that the service is stopping. */
    stop: (): void => stopping.abort(),
  }
}

/** The hosted page's client of the private API, without a browser. */
export class PageClient {
  readonly #url: string
  readonly #nodeUrl: string
  token = ''

  constructor({ url, nodeUrl = url }: { readonly url: string; readonly nodeUrl?: string }) {
    this.#url = url
    this.#nodeUrl = nodeUrl
  }

  async open({ id, clientSecret }: Pair, origin = shop): Promise<SessionGrant> {
    const response = await this.post('session', { id, clientSecret, origin })
    const session = (await response.json()) as SessionGrant
    this.token = session.token
    return session
  }

  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return await fetch(`${this.#nodeUrl}/checkout-api/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: this.#url,
        ...(this.token && { authorization: `Bearer ${this.token}` }),
        ...headers,
      },
      body: JSON.stringify(body),
    })
  }

  /** Requests the intent. @param signal - Stops waiting for the response. */
  async get(query = '', signal: AbortSignal | null = null): Promise<Response> {
    const headers = { authorization: `Bearer ${this.token}` }
    return await fetch(`${this.#nodeUrl}/checkout-api/intent${query}`, { headers, signal })
  }

  async view(query = '', signal: AbortSignal | null = null): Promise<CheckoutView> {
    return (await (await this.get(query, signal)).json()) as CheckoutView
  }

  /** Waits for the next version; fails well before a long poll ends without one, after 25 seconds. */
  async waitForVersion(version = 2): Promise<CheckoutView> {
    return await this.view(`?waitForVersion=${version}`, AbortSignal.timeout(20_000))
  }

  /** Presses Pay with a test card, for the current version. */
  async pay(
    number: string,
    attempt: { confirmationId?: string; version?: number } = {},
  ): Promise<Response> {
    const version = attempt.version ?? (await this.view()).version
    const confirmationId = attempt.confirmationId ?? randomBase62(24)
    return await this.post('confirm', { confirmationId, version, paymentMethod: cardOf(number) })
  }

  async openChallenge(body = {}): Promise<ChallengeTicket> {
    return (await (await this.post('challenge/open', body)).json()) as ChallengeTicket
  }
}

/** A card as the hosted page sends it. */
export function cardOf(number: string, cvc = '123') {
  return { type: 'card', card: { number, expMonth: 12, expYear: 2040, cvc } }
}

/** Posts a form to the test bank, as a browser does from a page with `no-referrer`. */
export async function submit(url: string, fields: Record<string, string>): Promise<Response> {
  return await fetch(url, {
    method: 'POST',
    headers: { origin: 'null' },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  })
}

/** Opens the code form and returns its one-time token. */
export async function enter({ url, token }: ChallengeTicket): Promise<string> {
  return tokenIn(await (await submit(url, { token, locale: 'en' })).text())
}

/** Returns the one-time token of a code form. */
export function tokenIn(html: string): string {
  return /name="token" value="([\w.-]+)"/.exec(html)?.[1] ?? ''
}

/** Submits a code. */
export async function answer(
  { url }: ChallengeTicket,
  token: string,
  code: string,
): Promise<Response> {
  return await submit(`${url}/answer`, { token, code, action: 'confirm' })
}
