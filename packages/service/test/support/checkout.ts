/** A running checkout with listeners on free ports and a clock that tests move, and a client of the test bank. @module */
import { fileURLToPath } from 'node:url'
import type { CreatePaymentIntent } from '@pi-checkout/contract'
import type { ChallengeTicket } from '@pi-checkout/test-support/http-buyer'
import { startSite } from '@pi-checkout/test-support/sites'
import { pino } from 'pino'
import { type AppOptions, createMainApp, createTestBankApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createRateLimits } from '../../src/http/rate-limit.ts'
import { randomBase62 } from '../../src/ids.ts'
import { clientSecret } from '../../src/intents/client-secret.ts'
import { createIntentStore } from '../../src/intents/store.ts'
import { createAuthenticator } from '../../src/merchants/authenticate.ts'
import { addOrigin } from '../../src/merchants/merchants.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { newSecretKey, readSecretKey } from '../../src/secret-keys.ts'
import { createWaits } from '../../src/waiting/waits.ts'
import { atEnd } from './lifetime.ts'
import { newIntent, openTestStore } from './store.ts'

/** The origin of the tests' shop. */
export const shop = 'http://localhost:3000'

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
  keys = readSecretKey(newSecretKey()),
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
    db,
    keys,
    log,
    now,
    publicUrl: given.publicUrl ?? `http://${hosts.checkout}:${checkout.port}`,
    challengeUrl: `http://${hosts.challenge}:${challenge.port}`,
    hostedFolder: fileURLToPath(new URL('../../dist/hosted/', import.meta.url)),
    authenticator: createAuthenticator(db, now),
    limits: createRateLimits(readConfig({}, {})),
    intents: createIntentStore({ db, now }),
    waits: createWaits({ db, now }, stopping.signal),
    stopping: stopping.signal,
    draining: stopping.signal,
    adminToken: randomBase62(30),
    sandboxFrom: 'loopback',
    ...createSandbox(now),
  }
  checkout.serve((await createMainApp(context)).routing)
  challenge.serve((await createTestBankApp(context)).routing)
  const close = atEnd(async () => {
    await Promise.all([checkout.close(), challenge.close()])
    if (!given.db) await db.close()
  })
  return {
    context,
    db,
    close,
    /** Lines of its log. */
    logged: logged as readonly string[],
    url: context.publicUrl,
    challengeUrl: context.challengeUrl,
    /** The address for requests from Node.js: only browsers resolve `*.localhost`. */
    nodeUrl: checkout.origin,
    createIntent: async ({ environmentId = 'env_test', ...changes }: IntentChanges = {}) => {
      const customer = { id: 'cus_1', email: 'ani@example.com' }
      const given = { customer, metadata: { note: 'gift' }, ...changes }
      const intent = newIntent({ environmentId, createdAt: now(), ...given })
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
