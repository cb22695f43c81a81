/** `pi-checkout doctor`: checks everything that a first payment needs. @module */
import { parseArgs } from 'node:util'
import { apiKeyPattern } from '@pi-checkout/contract/spec-decisions'
import { checkedOrigin, variableApiKey, variableBaseUrl } from '../client/configuration.ts'
import { PiError } from '../client/errors.ts'
import { PaymentIntents } from '../client/payment-intents.ts'
import { createHandoffCookie } from '../handoff/handoff-cookie.ts'
import { type Command, exitCodes, jsonLine, type Terminal } from './exit-codes.ts'
import { checkPage, type PolicyFinding as Finding } from './page-policy.ts'

/** Milliseconds for each request. */
const timeout = 10_000

/** Milliseconds by which the clocks may differ. */
const maxSkew = 30_000

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
  const service = settings.every(passed)
    ? await checkService(terminal.signal)
    : [skippedCheck('service', 'Set the variables above first')]
  const origin = check('PI_CHECKOUT_ORIGIN', readCheckoutOrigin, (value) => `is ${value}`)
  const findings = [
    checkNode(process.versions.node),
    ...settings,
    ...service,
    await checkHandoffKeys(),
    origin,
    ...(passed(origin) ? await checkCheckout(readCheckoutOrigin(), page) : []),
  ]
  if (page && !findings.some(({ name }) => name.startsWith('page'))) {
    findings.push(skippedCheck('page', 'Fix the checkout above first'))
  }
  show(findings, terminal)
  return findings.some(({ level }) => level === 'fail')
    ? exitCodes.failed.code
    : exitCodes.done.code
}

/** @param version Such as `20.19.0`. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const name = 'Node.js'
  if (major > 20 || (major === 20 && minor >= 19)) {
    return { name, level: 'ok', detail: `is ${version}` }
  }
  return { name, level: 'fail', detail: `is ${version}. Install 20.19 or newer.` }
}

/** Compares the clock with the `Date` of a response, which has whole seconds. */
export function checkClock(date: string | null, now: number): Finding {
  const name = 'clock'
  const remote = Date.parse(date ?? '')
  if (Number.isNaN(remote)) {
    return { name, level: 'warn', detail: 'was not compared: the service sends no Date' }
  }
  const skew = now - remote
  if (Math.abs(skew) <= maxSkew) {
    return { name, level: 'ok', detail: 'agrees with the clock of the service' }
  }
  const seconds = Math.round(Math.abs(skew) / 1000)
  const detail = `is ${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} the clock of the service. Synchronize both with NTP.`
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
  return mode ? `is valid, for a ${mode} environment` : 'is set'
}

async function checkService(signal: AbortSignal): Promise<Finding[]> {
  const name = 'service'
  const startedAt = performance.now()
  try {
    await new PaymentIntents({ maxRetries: 0 }).check({ signal })
  } catch (error) {
    return [{ name, level: 'fail', detail: adviceOf(error) }]
  }
  const ms = Math.round(performance.now() - startedAt)
  const detail = `responds in ${ms} ms and accepts the key`
  const response = await get(variableBaseUrl())
  const date = typeof response === 'string' ? null : response.headers.get('date')
  return [{ name, level: 'ok', detail }, checkClock(date, Date.now())]
}

async function checkHandoffKeys(): Promise<Finding> {
  const name = 'PI_HANDOFF_KEYS'
  try {
    const cookie = await createHandoffCookie({}, Date.now)
    const detail = cookie ? 'is valid' : 'is not set, so a reload repeats the create'
    return { name, level: 'ok', detail }
  } catch (error) {
    return { name, level: 'fail', detail: messageOf(error, name) }
  }
}

function readCheckoutOrigin(): string {
  const value = process.env.PI_CHECKOUT_ORIGIN
  if (value) return checkedOrigin(value, { name: 'PI_CHECKOUT_ORIGIN' })
  throw new TypeError(
    'PI_CHECKOUT_ORIGIN: environment variable is not set. Set it to the origin of the hosted checkout. For the local sandbox, start your shop with "npx pi-service exec -- COMMAND", which sets it.',
  )
}

/** Fetches the element from the checkout, and the page that shows it. */
async function checkCheckout(checkoutOrigin: string, page: string | undefined): Promise<Finding[]> {
  const name = 'checkout'
  const element = await get(`${checkoutOrigin}/v1/pi-checkout.js`)
  if (typeof element === 'string') {
    const detail = `${checkoutOrigin} ${element}. Check PI_CHECKOUT_ORIGIN, and that the checkout runs.`
    return [{ name, level: 'fail', detail }]
  }
  const isScript = /javascript/.test(element.headers.get('content-type') ?? '')
  if (!element.ok || !isScript) {
    const detail = `${checkoutOrigin} has no /v1/pi-checkout.js: it is not the checkout. Set PI_CHECKOUT_ORIGIN to the origin that the service prints.`
    return [{ name, level: 'fail', detail }]
  }
  const ok: Finding = { name, level: 'ok', detail: `${checkoutOrigin} serves the element` }
  return [ok, ...(page === undefined ? [] : await fetchPage(page, checkoutOrigin))]
}

async function fetchPage(url: string, checkoutOrigin: string): Promise<Finding[]> {
  const response = await get(url)
  if (typeof response === 'string') {
    return [{ name: 'page', level: 'fail', detail: `${url} ${response}. Start the shop.` }]
  }
  const { headers, body: html } = response
  return [
    ...checkPage({ url, headers, html, checkoutOrigin }),
    await checkOrigin(new URL(url).origin, checkoutOrigin),
  ]
}

/** The error page contains the code if no intent allows the origin of the page. */
async function checkOrigin(origin: string, checkoutOrigin: string): Promise<Finding> {
  const name = 'page origin'
  const response = await get(`${checkoutOrigin}/checkout/pi_doctor`, { referer: `${origin}/` })
  if (typeof response !== 'string' && response.body.includes('origin_not_allowed')) {
    const detail = `${origin} is not registered. Run npx pi-service origins add ${origin}, or start the service with --shop-origin ${origin}.`
    return { name, level: 'fail', detail }
  }
  return { name, level: 'ok', detail: `the checkout does not reject ${origin}` }
}

interface PageResponse {
  readonly ok: boolean
  readonly headers: Headers
  readonly body: string
}

/** @returns The response, or why there is none. */
async function get(
  url: string,
  headers: Record<string, string> = {},
): Promise<PageResponse | string> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeout) })
    return { ok: response.ok, headers: response.headers, body: await response.text() }
  } catch (error) {
    const timedOut = error instanceof Error && error.name === 'TimeoutError'
    return timedOut ? `did not respond within ${timeout / 1000} s` : 'cannot be reached'
  }
}

/** Variables of the environment take precedence, as for `node --env-file`. */
function readVariables(file: string): void {
  try {
    process.loadEnvFile(file)
  } catch {
    throw new TypeError(
      `--env: cannot read ${file}. Pass the file with which your shop is started.`,
    )
  }
}

function readPageUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href
  throw new TypeError('--page: must be the address of a page, such as http://localhost:3000/.')
}

function skippedCheck(name: string, fix: string): Finding {
  return { name, level: 'fail', detail: `was not checked. ${fix}.` }
}

function passed({ level }: Finding): boolean {
  return level !== 'fail'
}

function adviceOf(error: unknown): string {
  return error instanceof PiError
    ? `${error.message}. What to do: ${error.advice}.`
    : messageOf(error, 'service')
}

function messageOf(error: unknown, name: string): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message
}

function show(findings: readonly Finding[], { print, json }: Terminal): void {
  if (json) {
    const ok = findings.every(passed)
    print(jsonLine({ ok, findings }))
    return
  }
  for (const { name, level, detail } of findings)
    print(`${level.toUpperCase().padEnd(4)}  ${name} ${detail}`)
}
