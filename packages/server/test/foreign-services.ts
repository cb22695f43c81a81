/** Services of the specification that fill its gaps in other ways. They share nothing with the profiles. @module */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSite } from '@pi-checkout/test-support/sites'
import { vi } from 'vitest'
import { run } from '../src/cli/run.ts'
import { type Profile, phaseOf } from '../src/index.ts'
import { type FakeService, fakeService } from '../src/testing/fake-service.ts'
import { listenerOf } from './scripted-service.ts'

type Fields = Record<string, unknown>

interface Style {
  readonly created: number
  readonly statuses: Readonly<Record<string, string>>
  readonly intent: (roles: Fields, status: string | undefined) => Fields
  readonly error: (code: string, status: number) => Response
  readonly replay?: string
  readonly hasSecret?: true
}

const styleOf = {
  /** Numbers for times, statuses in upper case, errors as plain text, and no word about a replay. */
  plain: {
    created: 200,
    statuses: { open: 'NEW', processing: 'PENDING', paid: 'PAID', failed: 'DECLINED' },
    intent: ({ createdAt, updatedAt, lastPaymentFailure }, state) => ({
      state,
      created: Date.parse(String(createdAt)),
      modified: Date.parse(String(updatedAt)),
      failure_reason: lastPaymentFailure,
    }),
    error: (code, status) => {
      const sent = code === 'idempotency_key_reused' ? 409 : status
      return new Response(code.replaceAll('_', ' '), { status: sent })
    },
  },
  /** Names with underscores, seconds, nested error codes, another header, and the secret in every response. */
  nested: {
    created: 201,
    statuses: { open: 'created', processing: 'pending', paid: 'captured', failed: 'rejected' },
    intent: ({ createdAt, updatedAt, paymentMethod, providerPaymentId }, status) => ({
      auth_state: null,
      payment_status: status,
      payment_method: paymentMethod,
      processor_reference: providerPaymentId,
      created_at: Math.floor(Date.parse(String(createdAt)) / 1000),
      updated_at: Math.floor(Date.parse(String(updatedAt)) / 1000),
    }),
    error: (code, status) => {
      const isKey = code.startsWith('idempotency_key')
      const named = isKey ? code.replace('idempotency_', '') : `other_${status}`
      return Response.json({ error: { code: named } }, { status: isKey ? 409 : status })
    },
    replay: 'x-idempotent-replay',
    hasSecret: true,
  },
  /** Our names with other meanings: `succeeded` is the bank's yes, and only `settled` is money. */
  misleading: {
    created: 200,
    statuses: { open: 'open', processing: 'succeeded', paid: 'settled', failed: 'void' },
    intent: (roles, status) => ({ ...roles, status }),
    error: (code, status) =>
      Response.json({ type: code === 'payment_intent_not_found' ? 'gone' : 'refused' }, { status }),
  },
} satisfies Record<string, Style>
export type ForeignStyle = keyof typeof styleOf
export const styles = Object.keys(styleOf) as ForeignStyle[]

/** Starts a service in a style. It has the faults of `fakeService()`. */
export function foreignService(name: ForeignStyle, profile?: Profile): FakeService {
  const style: Style = styleOf[name]
  const service = fakeService()
  const { fetch: ours } = service
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await ours(input, init)
    // Half of a body has no style.
    const text = await response
      .clone()
      .text()
      .catch(() => undefined)
    if (text === undefined || !text.endsWith('}') || text.startsWith("{'")) return response
    return inStyle(style, response, JSON.parse(text))
  }
  const options = { ...service.options, fetch, ...(profile && { profile }) }
  return Object.assign(service, { fetch, options })
}

function inStyle(style: Style, response: Response, body: Fields): Response {
  if (!response.ok) return style.error(String(body.code), response.status)
  const { id, amount, currency, orderId, customer, metadata, clientSecret, status, ...roles } = body
  const secret = clientSecret ?? (style.hasSecret && `${id}_secret_again`)
  const specified = { id, amount, currency, orderId, customer, metadata }
  const isReplay = response.headers.has('idempotent-replayed')
  return Response.json(
    {
      ...specified,
      ...(secret !== undefined && { clientSecret: secret }),
      ...style.intent(roles, style.statuses[phaseOf(String(status))]),
    },
    {
      status: response.status === 201 ? style.created : response.status,
      headers: isReplay && style.replay !== undefined ? { [style.replay]: '1' } : {},
    },
  )
}

/** What a probe of a service has printed and written. */
export interface Probed {
  readonly code: number
  readonly output: string
  readonly profile: () => Profile
}

/** Runs `pi-checkout probe` on a service, over HTTP. */
export async function probeOver(
  service: FakeService,
  args: readonly string[],
  ask?: (question: string) => Promise<string>,
): Promise<Probed> {
  // The fake service neither validates nor normalizes.
  const real: typeof globalThis.fetch = async (input, init) => {
    if (!init?.body) return service.fetch(input, init)
    const { amount, currency, ...rest } = JSON.parse(String(init.body))
    if (amount === 0) return new Response('No.', { status: 400 })
    const body = JSON.stringify({ amount, currency: currency?.toUpperCase(), ...rest })
    return service.fetch(input, { ...init, body })
  }
  const { origin, close } = await startSite(listenerOf({ ...service, fetch: real }))
  const folder = mkdtempSync(join(tmpdir(), 'pi-probe-'))
  vi.stubEnv('PI_API_KEY', service.options.apiKey)
  vi.stubEnv('PI_BASE_URL', origin)
  try {
    const file = join(folder, 'profile.json')
    const lines: string[] = []
    const add = (text: string): void => void lines.push(text)
    const code = await run(['probe', '--write', file, ...args], { print: add, warn: add, ask })
    const written = existsSync(file) ? readFileSync(file, 'utf8') : '{}'
    return { code, output: lines.join('\n'), profile: () => JSON.parse(written) }
  } finally {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
    await close()
  }
}

/** Probes a service with what its operator tells the merchant, and returns services with that profile. */
export async function withProbedProfile(style: ForeignStyle): Promise<() => FakeService> {
  const { paid, failed, processing } = styleOf[style].statuses
  const answers = ['--paid', paid, `--failed=${failed}`, `--processing=${processing}`]
  const { profile } = await probeOver(foreignService(style), ['--yes', ...answers])
  return () => foreignService(style, profile())
}

/** Ours, its imitation of another one, and the foreign services with their probed profiles. */
export const describedServices: readonly (readonly [string, () => Promise<() => FakeService>])[] = [
  ['our service', async () => () => fakeService()],
  ...styles.map((style) => [`the ${style} service`, () => withProbedProfile(style)] as const),
  [
    'its imitation',
    async () => {
      const { options } = (await withProbedProfile('plain'))()
      return () => fakeService({ profile: options.profile })
    },
  ],
]
