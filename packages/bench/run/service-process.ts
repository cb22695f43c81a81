/** One server of the benchmark as a separate process: `service-process.ts KIND`, settings by environment. @module */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { RequestListener, ServerResponse } from 'node:http'
import { CreatePaymentIntentSchema, headers } from '@pi-checkout/contract'
import canonicalize from 'canonicalize'
import pino from 'pino'
import { mainListener } from '../../service/src/app.ts'
import { SessionTokens } from '../../service/src/checkout/session-token.ts'
import { administer } from '../../service/src/cli/admin-commands.ts'
import { readConfig, type StoreChoice } from '../../service/src/config.ts'
import type { Database } from '../../service/src/db/database.ts'
import { readBody } from '../../service/src/http/body.ts'
import { readJson } from '../../service/src/http/json.ts'
import { createRateLimits } from '../../service/src/http/rate-limit.ts'
import { jsonHeaders } from '../../service/src/http/response.ts'
import { randomBase62, randomSalt } from '../../service/src/ids.ts'
import { clientSecret } from '../../service/src/intents/client-secret.ts'
import type { NewIntent } from '../../service/src/intents/create-batch.ts'
import type { StoredIntent } from '../../service/src/intents/intent-row.ts'
import { createIntentStore, type IntentStore } from '../../service/src/intents/intents.ts'
import { serializeCreated, serializeIntent } from '../../service/src/intents/serialize.ts'
import { createAuthenticator } from '../../service/src/merchants/authenticate.ts'
import { createNotifier } from '../../service/src/notifier/notifier.ts'
import { newSecretKeys, readSecretKeys } from '../../service/src/secret-keys.ts'
import { openStore } from '../../service/src/start/open-store.ts'
import { listen } from './child.ts'
import type { Filled, ServerQuery } from './service-server.ts'
import { fill } from './store.ts'

const [, , kind = 'memory'] = process.argv
const publicUrl = 'http://127.0.0.1'
const origin = 'https://shop.example'

const listener = kind === 'bare' ? bare() : await service()
process.on('message', (query: ServerQuery) => {
  void responseTo(query).then((response) => process.send?.(response))
})
await listen(listener.handle, listener.apiKey)

interface Listener {
  readonly handle: RequestListener
  readonly apiKey: string
  /** Absent where intents are in memory. */
  readonly db?: Database
  /** Returns a session token for an intent. */
  readonly openSession?: (id: string) => Promise<string>
}

async function responseTo(
  query: ServerQuery,
): Promise<NodeJS.CpuUsage | readonly string[] | Filled> {
  if (query.type === 'cpu') return process.cpuUsage()
  const { db, openSession } = listener
  if (!db || !openSession) throw new Error('This server has no store')
  if (query.type === 'sessions') return await Promise.all(query.ids.map(openSession))
  return await fill(db, query.count)
}

/** The service in a live environment; for `memory`, with intents in memory. */
async function service(): Promise<Listener> {
  const config = readConfig({}, { ...process.env, PI_RATE_LIMIT: '999999' })
  const store: StoreChoice = kind === 'memory' ? { kind: 'memory' } : config.store
  const { db, keys } = await openStore({ ...config, store })
  const now = (): Date => new Date()
  const bench = { merchant: 'Bench', environment: 'live' } as const
  const made = await administer({ db, keys, now }, { command: 'keys create', ...bench })
  await administer({ db, keys, now }, { command: 'origins add', origin, ...bench })
  const [environment] = await db.query<{ id: string }>`
    select id from environments where mode = 'live'`
  const tokens = new SessionTokens(keys, publicUrl)
  const log = pino({ enabled: false })
  const stopping = new AbortController().signal
  const handle = mainListener({
    ...{ db, keys, now, log, stopping },
    publicUrl,
    challengeUrl: 'http://127.0.0.1',
    hostedFolder: '',
    authenticator: createAuthenticator({ db, keys, now }),
    limits: createRateLimits({ ...config, rateLimit: 999_999 }, () => undefined),
    intents: kind === 'memory' ? memoryStore() : createIntentStore(db),
    adminToken: randomBase62(30),
    notifier: createNotifier({ db, log, now }, stopping),
    sandboxFrom: 'loopback',
    storeOptions: undefined,
    metrics: false,
  })
  const openSession = async (id: string): Promise<string> => {
    const session = { id, environmentId: environment?.id ?? '', origin }
    return (await tokens.sign(session, now())).token
  }
  return { handle, apiKey: 'apiKey' in made ? made.apiKey : '', db, openSession }
}

function memoryStore(): IntentStore {
  const byId = new Map<string, StoredIntent>()
  const byKey = new Map<string, NewIntent>()
  return {
    create: async (draft) => {
      const key = draft.idempotency?.hash ?? draft.id
      const existing = byKey.get(key)
      if (existing) return { type: 'replayed', created: existing }
      byKey.set(key, draft)
      byId.set(draft.id, storedOf(draft))
      return { type: 'created' }
    },
    find: async ({ id }) => byId.get(id),
    applyDeadlines: async (intent) => intent,
  }
}

function storedOf(draft: NewIntent): StoredIntent {
  const { id, environmentId, secretKid, secretSalt, body, createdAt } = draft
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

/**
 * The minimum cost of the two operations, in the same order: key, body, checks, hashes, secret, and a response of
 * the same bytes. It has no limits, faults, request log, deadlines, or errors.
 */
function bare(): Listener {
  const keys = readSecretKeys(newSecretKeys())
  const salt = randomSalt(32)
  const mac = (text: string) => createHmac('sha256', salt).update(text).digest()
  const apiKey = `pi_sk_live_${randomBase62(36)}`
  const expected = mac(apiKey)
  const byId = new Map<string, StoredIntent>()

  function send(
    response: ServerResponse,
    { status, body, location }: { status: number; body: string; location?: string },
  ): void {
    response.writeHead(status, {
      ...jsonHeaders,
      'content-length': Buffer.byteLength(body),
      [headers.requestId]: `req_${randomBase62(20)}`,
      ...(location !== undefined && { location }),
    })
    response.end(body)
  }

  const handle: RequestListener = async (request, response) => {
    const [, token = ''] =
      /^Bearer +([!-~]{1,512})$/i.exec(request.headers.authorization ?? '') ?? []
    if (!timingSafeEqual(mac(token), expected)) {
      send(response, { status: 401, body: '{}' })
      return
    }
    if (request.method === 'GET') {
      const intent = byId.get((request.url ?? '').slice('/payment-intents/'.length))
      const body = intent ? JSON.stringify(serializeIntent(intent)) : '{}'
      send(response, { status: intent ? 200 : 404, body })
      return
    }
    const body = CreatePaymentIntentSchema.parse(readJson(await readBody(request, 65_536)))
    mac(`key\0create\0${request.headers['idempotency-key']}`)
    mac(`body\0${canonicalize(body)}`)
    const draft = {
      ...{ id: `pi_${randomBase62(24)}`, environmentId: 'env', secretKid: keys.currentKid },
      ...{ secretSalt: randomSalt(16), body, createdAt: new Date() },
    }
    byId.set(draft.id, storedOf(draft))
    const made = JSON.stringify(serializeCreated(draft, clientSecret(keys, draft)))
    send(response, { status: 201, body: made, location: `/payment-intents/${draft.id}` })
  }
  return { handle, apiKey }
}
