/**
 * A running checkout with real listeners on free ports, PGlite in memory, and one test merchant.
 *
 * @module
 */
import { fileURLToPath } from 'node:url'
import { startSite } from '@pi-checkout/test-support/sites'
import { pino } from 'pino'
import type { CheckoutView, SessionGrant } from '../../shared/checkout-api.ts'
import { type AppOptions, mainListener, testBankListener } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { Database } from '../../src/db/database.ts'
import { openPglite } from '../../src/db/embedded/pglite.ts'
import { migrate } from '../../src/db/migrate.ts'
import { createRateLimits } from '../../src/http/rate-limit.ts'
import { randomBase62, randomSalt } from '../../src/ids.ts'
import { clientSecret } from '../../src/intents/client-secret.ts'
import { createIntentStore } from '../../src/intents/intents.ts'
import { createAuthenticator } from '../../src/merchants/authenticate.ts'
import { createNotifier } from '../../src/notifier/notifier.ts'
import { newSecretKeys, readSecretKeys, type SecretKeys } from '../../src/secret-keys.ts'

export interface Pair {
  readonly id: string
  readonly clientSecret: string
}

export interface RunningCheckout {
  readonly context: AppOptions
  readonly db: Database
  readonly url: string
  readonly challengeUrl: string
  /** The address for requests from Node.js: only browsers resolve `*.localhost`. */
  readonly nodeUrl: string
  /** Every line that the service logged. */
  readonly logged: readonly string[]
  /** Creates an intent in the test environment, or in another one. */
  createIntent(overrides?: Partial<IntentRow>): Promise<Pair>
  registerOrigin(origin: string, environmentId?: string): Promise<void>
  /** Advances real time by so many milliseconds. */
  advance(milliseconds: number): void
  /** Signals that the service is stopping. */
  stop(): void
  close(): Promise<void>
}

interface IntentRow {
  readonly amount: number
  readonly currency: string
  readonly orderId: string
  readonly environmentId: string
}

/**
 * @param options - `hosts`: names under which browsers reach the two listeners, both on loopback ·
 * `db`: a store that is migrated already, shared with another instance; by default one in memory ·
 * `directory`: where the store is on disk · `keys`, `publicUrl`: shared with another instance.
 */
export async function startCheckout({
  hosts = { checkout: '127.0.0.1', challenge: '127.0.0.1' },
  db: given,
  directory,
  keys = readSecretKeys(newSecretKeys()),
  publicUrl,
}: {
  readonly hosts?: { readonly checkout: string; readonly challenge: string }
  readonly db?: Database
  readonly directory?: string
  readonly keys?: SecretKeys
  readonly publicUrl?: string
} = {}): Promise<RunningCheckout> {
  const db = given ?? (await openPglite(directory))
  if (!given) {
    await migrate(db)
    await addMerchants(db)
  }
  const checkout = await startSite()
  const challenge = await startSite()
  const logged: string[] = []
  let offset = 0
  const now = (): Date => new Date(Date.now() + offset)
  const log = pino({}, { write: (line: string) => void logged.push(line) })
  const stopping = new AbortController()
  const context: AppOptions = {
    ...{ db, keys, log, now },
    publicUrl: publicUrl ?? `http://${hosts.checkout}:${checkout.port}`,
    challengeUrl: `http://${hosts.challenge}:${challenge.port}`,
    hostedFolder: fileURLToPath(new URL('../../dist/hosted/', import.meta.url)),
    authenticator: createAuthenticator({ db, keys, now }),
    limits: createRateLimits(readConfig({}, {}), () => undefined),
    intents: createIntentStore(db),
    notifier: createNotifier({ db, log, now }, stopping.signal),
    stopping: stopping.signal,
    adminToken: randomBase62(30),
    sandboxFrom: 'loopback',
    storeOptions: undefined,
    metrics: false,
  }
  checkout.serve(mainListener(context))
  challenge.serve(testBankListener(context))

  return {
    context,
    db,
    url: context.publicUrl,
    challengeUrl: context.challengeUrl,
    nodeUrl: checkout.origin,
    logged,
    createIntent: async (overrides) => await insertIntent(context, overrides),
    registerOrigin: async (origin, environmentId = 'env_test') => {
      await db.query`
        update environments set allowed_origins = array_append(allowed_origins, ${origin})
         where id = ${environmentId}`
    },
    advance: (milliseconds) => {
      offset += milliseconds
    },
    stop: () => stopping.abort(),
    close: async () => {
      await Promise.all([checkout.close(), challenge.close()])
      await db.close()
    },
  }
}

/** The hosted page's client of the private API, without a browser. */
export class PageClient {
  readonly #checkout: Pick<RunningCheckout, 'url' | 'nodeUrl'>
  token = ''

  constructor(checkout: Pick<RunningCheckout, 'url' | 'nodeUrl'>) {
    this.#checkout = checkout
  }

  async open(pair: Pair, origin: string): Promise<SessionGrant> {
    const session = (await (await this.post('session', { ...pair, origin })).json()) as SessionGrant
    this.token = session.token
    return session
  }

  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return await fetch(`${this.#checkout.nodeUrl}/checkout-api/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: this.#checkout.url,
        ...(this.token && { authorization: `Bearer ${this.token}` }),
        ...headers,
      },
      body: JSON.stringify(body),
    })
  }

  /** @param signal - Stops waiting for the response. */
  async view(query = '', signal: AbortSignal | null = null): Promise<CheckoutView> {
    const response = await fetch(`${this.#checkout.nodeUrl}/checkout-api/intent${query}`, {
      headers: { authorization: `Bearer ${this.token}` },
      signal,
    })
    return (await response.json()) as CheckoutView
  }

  /** Presses Pay with a test card, for the current version. */
  async pay(
    number: string,
    attempt: { attemptId?: string; version?: number } = {},
  ): Promise<Response> {
    const version = attempt.version ?? (await this.view()).version
    const attemptId = attempt.attemptId ?? randomBase62(24)
    return await this.post('confirm', { attemptId, version, paymentMethod: cardOf(number) })
  }
}

/** A card as the hosted page sends it. */
export function cardOf(number: string, cvc = '123'): object {
  return { type: 'card', card: { number, expMonth: 12, expYear: 2040, cvc } }
}

/** Three environments of two merchants. */
export async function addMerchants(db: Database): Promise<void> {
  for (const [merchant, name] of [
    ['mer_teahouse', 'Ararat Tea House'],
    ['mer_books', 'Sevan Books'],
  ] as const) {
    await db.query`
      insert into merchants (id, name, created_at) values (${merchant}, ${name}, ${new Date()})`
  }
  for (const [id, merchant, mode] of [
    ['env_test', 'mer_teahouse', 'test'],
    ['env_live', 'mer_teahouse', 'live'],
    ['env_other', 'mer_books', 'test'],
  ] as const) {
    await db.query`
      insert into environments (id, merchant_id, mode, idempotency_salt, created_at)
      values (${id}, ${merchant}, ${mode}, ${randomSalt(32)}, ${new Date()})`
  }
}

async function insertIntent(
  { db, keys, now }: AppOptions,
  overrides: Partial<IntentRow> = {},
): Promise<Pair> {
  const row = {
    amount: 150000,
    currency: 'AMD',
    orderId: 'A-1001',
    environmentId: 'env_test',
    ...overrides,
  }
  const id = `pi_${randomBase62(24)}`
  const secretSalt = randomSalt(16)
  const at = now()
  const { environmentId, amount, currency, orderId } = row
  await db.query`
    insert into payment_intents (id, environment_id, amount, currency, order_id, customer, metadata,
                                 secret_salt, secret_kid, expires_at, created_at, updated_at)
    values (${id}, ${environmentId}, ${amount}, ${currency}, ${orderId},
            ${'{"id":"cus_1","email":"ani@example.com"}'}::json, ${'{"note":"gift"}'}::json,
            ${secretSalt}, ${keys.currentKid}, ${new Date(at.getTime() + 86_400_000)}, ${at}, ${at})`
  const source = { id, environmentId, secretKid: keys.currentKid, secretSalt }
  return { id, clientSecret: clientSecret(keys, source) }
}
