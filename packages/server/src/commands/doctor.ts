/**
 * `pi-checkout doctor`: says what stands between this machine and a first payment.
 *
 * @module
 */
import { parseArgs } from 'node:util'
import { apiKeyPattern } from '@pi-checkout/contract/spec-decisions'
import { PaymentIntents } from '../client.ts'
import { checkedOrigin, variableApiKey, variableBaseUrl } from '../configuration.ts'
import { PiError } from '../errors.ts'
import { createSeal } from '../sealed-handoff.ts'
import { exitCodes } from './exit-codes.ts'
import { examinePage, type Finding } from './page-policy.ts'
import type { Command, Terminal } from './terminal.ts'

const patience = 10_000
/** Milliseconds by which two clocks may differ: a cookie or a deadline notices more. */
const toleratedSkew = 30_000

export const doctor: Command = async (args, terminal) => {
  const { values } = parseArgs({
    args,
    options: {
      json: { type: 'boolean' },
      page: { type: 'string' },
      env: { type: 'string' },
    },
  })
  if (values.env !== undefined) readVariables(values.env)
  const page = values.page === undefined ? undefined : readPageUrl(values.page)
  const settings = [
    check('PI_API_KEY', variableApiKey, describeKey),
    check('PI_BASE_URL', variableBaseUrl, (url) => `is ${url}`),
  ]
  const service = settings.every(isWell)
    ? await askService(terminal.signal)
    : [unasked('service', 'set the variables above first')]
  const origin = check('PI_CHECKOUT_ORIGIN', readCheckoutOrigin, (value) => `is ${value}`)
  const findings = [
    checkNode(process.versions.node),
    ...settings,
    ...service,
    await checkHandoffKeys(),
    origin,
    ...(isWell(origin) ? await askCheckout(readCheckoutOrigin(), page) : []),
  ]
  if (page && !findings.some(({ name }) => name.startsWith('page'))) {
    findings.push(unasked('page', 'see to the checkout above first'))
  }
  show(findings, terminal)
  return findings.some(({ level }) => level === 'fail')
    ? exitCodes.failed.code
    : exitCodes.done.code
}

/** @param version Such as `20.19.0`. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const name = 'Node'
  if (major > 20 || (major === 20 && minor >= 19)) {
    return { name, level: 'ok', detail: `is ${version}` }
  }
  return { name, level: 'fail', detail: `is ${version}; install 20.19 or newer` }
}

/** Compares the `Date` of an answer with the clock here; its seconds are whole. */
export function checkClock(date: string | null, now: number): Finding {
  const name = 'clock'
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) {
    return { name, level: 'warn', detail: 'cannot be compared: the service sends no Date' }
  }
  const skew = now - theirs
  if (Math.abs(skew) <= toleratedSkew) {
    return { name, level: 'ok', detail: 'agrees with that of the service' }
  }
  const seconds = Math.round(Math.abs(skew) / 1000)
  const detail = `is ${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} that of the service; set one of them by NTP`
  return { name, level: 'fail', detail }
}

function check<T>(name: string, read: () => T, detail: (value: T) => string): Finding {
  try {
    return { name, level: 'ok', detail: detail(read()) }
  } catch (error) {
    return { name, level: 'fail', detail: messageOf(error, name) }
  }
}

function describeKey(key: string): string {
  const [, mode] = apiKeyPattern.exec(key) ?? []
  return mode ? `is well formed, of a ${mode} environment` : 'is set and well formed'
}

async function askService(signal: AbortSignal): Promise<Finding[]> {
  const name = 'service'
  const began = performance.now()
  try {
    await new PaymentIntents({ attempts: 1 }).check({ signal })
  } catch (error) {
    return [{ name, level: 'fail', detail: adviceOf(error) }]
  }
  const ms = Math.round(performance.now() - began)
  const detail = `answers in ${ms} ms and takes the key`
  const answer = await get(variableBaseUrl())
  const date = typeof answer === 'string' ? null : answer.headers.get('date')
  return [{ name, level: 'ok', detail }, checkClock(date, Date.now())]
}

async function checkHandoffKeys(): Promise<Finding> {
  const name = 'PI_HANDOFF_KEYS'
  try {
    await createSeal({ origin: 'https://shop.invalid', keys: undefined, clock: Date.now })
    return { name, level: 'ok', detail: 'is set and well formed' }
  } catch (error) {
    return { name, level: 'fail', detail: messageOf(error, name) }
  }
}

function readCheckoutOrigin(): string {
  const value = process.env.PI_CHECKOUT_ORIGIN
  if (value) return checkedOrigin(value, { name: 'PI_CHECKOUT_ORIGIN' })
  throw new TypeError(
    'PI_CHECKOUT_ORIGIN: is not set. It is the origin of the hosted checkout, which pages give to configureCheckout(); the local sandbox prints it as "checkoutOrigin" when "npx pi-service start --json" starts.',
  )
}

/** Fetches the element from the checkout, and the page that is to show it. */
async function askCheckout(checkoutOrigin: string, page: string | undefined): Promise<Finding[]> {
  const name = 'checkout'
  const asked = await get(`${checkoutOrigin}/pi-checkout.js`)
  if (typeof asked === 'string') {
    const detail = `${checkoutOrigin} ${asked}; check PI_CHECKOUT_ORIGIN and that the checkout runs`
    return [{ name, level: 'fail', detail }]
  }
  const script = /javascript/.test(asked.headers.get('content-type') ?? '')
  if (!asked.ok || !script) {
    const detail = `${checkoutOrigin} answers, but has no /pi-checkout.js: it is not the checkout; set PI_CHECKOUT_ORIGIN to the origin that the service prints`
    return [{ name, level: 'fail', detail }]
  }
  const well: Finding = { name, level: 'ok', detail: `${checkoutOrigin} serves the element` }
  return [well, ...(page === undefined ? [] : await askPage(page, checkoutOrigin))]
}

async function askPage(url: string, checkoutOrigin: string): Promise<Finding[]> {
  const answer = await get(url)
  if (typeof answer === 'string') {
    return [{ name: 'page', level: 'fail', detail: `${url} ${answer}; start the shop` }]
  }
  const { headers, body: html } = answer
  return [
    ...examinePage({ url, headers, html, checkoutOrigin }),
    await askOrigin(new URL(url).origin, checkoutOrigin),
  ]
}

/** The refusal page names the code when the page's origin is registered nowhere. */
async function askOrigin(origin: string, checkoutOrigin: string): Promise<Finding> {
  const name = 'page origin'
  const answer = await get(`${checkoutOrigin}/checkout/pi_doctor`, { referer: `${origin}/` })
  if (typeof answer !== 'string' && answer.body.includes('origin_not_allowed')) {
    const detail = `${origin} is not registered at the service; npx pi-service origins add ${origin}, or start it with --origin ${origin}`
    return { name, level: 'fail', detail }
  }
  return { name, level: 'ok', detail: `${origin} is not refused by the checkout` }
}

interface Answer {
  readonly ok: boolean
  readonly headers: Headers
  readonly body: string
}

/** @returns The answer, or why there is none. */
async function get(url: string, headers: Record<string, string> = {}): Promise<Answer | string> {
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(patience) })
    return { ok: answer.ok, headers: answer.headers, body: await answer.text() }
  } catch (error) {
    const late = error instanceof Error && error.name === 'TimeoutError'
    return late ? `did not answer within ${patience / 1000} s` : 'cannot be reached'
  }
}

/** What stands in the environment already wins, as it does for `node --env-file`. */
function readVariables(file: string): void {
  try {
    process.loadEnvFile(file)
  } catch {
    throw new TypeError(`--env: cannot read ${file}; give the file that your shop is started with`)
  }
}

function readPageUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href
  throw new TypeError('--page: must be the address of a page, such as http://localhost:3000/')
}

function unasked(name: string, why: string): Finding {
  return { name, level: 'fail', detail: `was not asked: ${why}` }
}

function isWell({ level }: Finding): boolean {
  return level !== 'fail'
}

function adviceOf(error: unknown): string {
  return error instanceof PiError
    ? `${error.message}; ${error.advice}`
    : messageOf(error, 'service')
}

function messageOf(error: unknown, name: string): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message
}

const marks = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const

function show(findings: readonly Finding[], { print, json }: Terminal): void {
  if (json) {
    const ok = findings.every(isWell)
    print(JSON.stringify({ ok, findings }))
    return
  }
  for (const { name, level, detail } of findings) print(`${marks[level]}  ${name} ${detail}`)
}
