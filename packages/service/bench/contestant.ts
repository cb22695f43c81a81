/**
 * One server of the benchmark in a process of its own: `contestant.ts KIND`, settings by environment.
 *
 * It prints one line of JSON when it is ready, and ends with its parent.
 *
 * @module
 */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { CreatePaymentIntent } from '@pi-checkout/contract'
import canonicalize from 'canonicalize'
import pino from 'pino'
import { administer } from '../src/administration.ts'
import { mainListener } from '../src/app.ts'
import { readConfig, type StoreChoice } from '../src/config.ts'
import type { Context } from '../src/context.ts'
import { authenticator } from '../src/http/authenticate.ts'
import { readBody } from '../src/http/body.ts'
import { readJson } from '../src/http/json.ts'
import { rateLimits } from '../src/http/rate-limit.ts'
import { randomBase62 } from '../src/identifiers.ts'
import { creationAnswer, intentAnswer } from '../src/intents/answer.ts'
import { clientSecret } from '../src/intents/client-secret.ts'
import type { Draft } from '../src/intents/creation.ts'
import { type IntentStore, intentStore } from '../src/intents/routes.ts'
import type { StoredIntent } from '../src/intents/store.ts'
import { faultRules } from '../src/sandbox/faults.ts'
import { newSecretKeys, readSecretKeys } from '../src/secret-keys.ts'
import { openStore } from '../src/store.ts'

const [, , kind = 'map'] = process.argv
process.on('disconnect', () => process.exit(0))

const listener = kind === 'bare' ? bare() : await service()
const server = createServer(listener.handle)
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.on('message', () => process.send?.(process.cpuUsage()))
process.send?.({ port: portOf(), apiKey: listener.apiKey })

interface Contestant {
  readonly handle: RequestListener
  readonly apiKey: string
}

/** The service as it is, in a live environment; for `map`, with intents in memory. */
async function service(): Promise<Contestant> {
  const config = readConfig({}, { ...process.env, PI_RATE_LIMIT: '999999' })
  const store: StoreChoice = kind === 'map' ? { kind: 'memory' } : config.store
  const { db, keys } = await openStore({ ...config, store })
  const now = (): Date => new Date()
  const made = await administer(
    { db, keys, now },
    { command: 'keys create', merchant: 'Bench', environment: 'live' },
  )
  const log = pino({ enabled: false })
  const context: Context = {
    ...{ db, keys, now, log },
    publicUrl: 'http://127.0.0.1',
    challengeUrl: 'http://127.0.0.1',
    hostedFolder: '',
  }
  const handle = mainListener(context, {
    authenticator: authenticator(context),
    faults: faultRules(),
    limits: rateLimits({ ...config, rateLimit: 999_999 }),
    intents: kind === 'map' ? mapStore() : intentStore(db),
    adminToken: randomBase62(30),
    stopping: new AbortController().signal,
    storeOptions: undefined,
    metrics: false,
  })
  return { handle, apiKey: 'apiKey' in made ? made.apiKey : '' }
}

function mapStore(): IntentStore {
  const byId = new Map<string, StoredIntent>()
  const byKey = new Map<string, Draft>()
  return {
    create: async (draft) => {
      const key = draft.idempotency?.hash.toString('latin1') ?? draft.id
      const known = byKey.get(key)
      if (known) return { type: 'replayed', created: known }
      byKey.set(key, draft)
      byId.set(draft.id, storedOf(draft))
      return { type: 'created' }
    },
    find: async ({ id }) => byId.get(id),
    settle: async (intent) => intent,
  }
}

function storedOf({
  id,
  environmentId,
  secretKid,
  secretSalt,
  body,
  createdAt,
}: Draft): StoredIntent {
  return {
    ...{ id, environmentId, secretKid, secretSalt, createdAt },
    ...{ amount: body.amount, currency: body.currency, orderId: body.orderId },
    customer: body.customer ?? null,
    metadata: body.metadata ?? null,
    status: 'requires_payment_method',
    version: 1,
    paymentMethod: null,
    lastPaymentFailure: null,
    nextAction: null,
    providerPaymentId: null,
    settlement: null,
    confirms: 0,
    expiresAt: new Date(createdAt.getTime() + 86_400_000),
    finalizedAt: null,
    updatedAt: createdAt,
  }
}

/** What a create costs at least: the same body read, checked, hashed, derived and written. */
function bare(): Contestant {
  const keys = readSecretKeys(newSecretKeys())
  const salt = Buffer.alloc(32, 7)
  const byId = new Map<string, StoredIntent>()
  const handle: RequestListener = async (request, response) => {
    if (request.method === 'GET') {
      const intent = byId.get((request.url ?? '').slice('/payment-intents/'.length))
      response.writeHead(intent ? 200 : 404, { 'content-type': 'application/json' })
      response.end(intent && JSON.stringify(intentAnswer(intent)))
      return
    }
    const body = CreatePaymentIntent.parse(readJson(await readBody(request, 65_536)))
    createHmac('sha256', salt).update(String(request.headers['idempotency-key'])).digest()
    createHmac('sha256', salt)
      .update(String(canonicalize(body)))
      .digest()
    const draft = {
      ...{ id: `pi_${randomBase62(24)}`, environmentId: 'env', secretKid: 'k1' },
      ...{ secretSalt: salt.subarray(0, 16), body, createdAt: new Date() },
    }
    byId.set(draft.id, storedOf(draft))
    const text = JSON.stringify(creationAnswer(draft, clientSecret(keys, draft)))
    response.writeHead(201, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    })
    response.end(text)
  }
  return { handle, apiKey: 'none' }
}

function portOf(): number {
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}
