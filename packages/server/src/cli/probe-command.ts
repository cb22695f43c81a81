/** The command `pi-checkout probe`: options, consent, and what it prints. @module */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs, parseEnv } from 'node:util'
import { currencies, isCurrency } from '@pi-checkout/contract/money'
import type { Phase } from '@pi-checkout/contract/profile'
import { environmentOf, variableApiKey, variableBaseUrl } from '../client/configuration.ts'
import { redact } from '../client/redact.ts'
import { type Finding, failedCreate, findingsOf } from './probe-findings.ts'
import { profileOf } from './probe-profile.ts'
import { observe } from './probe-responses.ts'
import { colored, type Terminal } from './terminal.ts'

const options = {
  currency: { type: 'string', default: 'AMD' },
  paid: { type: 'string', multiple: true, default: [] as string[] },
  failed: { type: 'string', multiple: true, default: [] as string[] },
  processing: { type: 'string', multiple: true, default: [] as string[] },
  'other-env': { type: 'string' },
  write: { type: 'string' },
  json: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
} as const

/** Probes the service of the variables. Returns the exit code. @throws {TypeError} If an option is malformed. */
export async function probeCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { print, warn, ask } = terminal
  const { values } = parseArgs({ args: [...args], options })
  const currency = values.currency.toUpperCase()
  if (!isCurrency(currency)) {
    throw new TypeError(`--currency: must be one of ${currencies.join(', ')}`)
  }
  const file = values['other-env']
  const target = {
    baseUrl: variableBaseUrl(),
    apiKey: variableApiKey(),
    currency,
    otherKey: file === undefined ? undefined : otherKeyOf(file),
  }
  warn(
    `This creates two Payment Intents of 1 minor unit ${currency} at ${target.baseUrl}, or more if the service creates one for each request. They stay unpaid.`,
  )
  if (environmentOf(target.apiKey)?.mode !== 'test' && !values.yes) {
    const answer = await ask?.('The key may be live. Continue? (yes/no) ')
    if (answer?.trim() !== 'yes') {
      warn('Nothing was sent. Use a test key, or pass --yes.')
      return 2
    }
  }
  const observed = await observe(target)
  const found = 'id' in observed ? profileOf(observed) : undefined
  const findings =
    'id' in observed ? findingsOf(observed, profileOf(observed)) : [failedCreate(observed)]
  const open: string[] = []
  /** Takes the statuses of a phase from its option, or asks. */
  const answer = async (phase: 'paid' | 'failed'): Promise<readonly string[]> => {
    const question = `Which statuses mean ${phase}?`
    const isAsked = values[phase].length === 0 && !values.json
    const given = isAsked ? [(await ask?.(`${question} (comma) `)) ?? ''] : values[phase]
    const statuses = listOf(given)
    if (statuses.length === 0) {
      open.push(`${question} Pass --${phase} STATUS, or write them into the profile.`)
    }
    return statuses
  }
  let profile = found
  if (found && Object.keys(found.statuses).length > 0) {
    const statuses: Record<string, Exclude<Phase, 'unknown'>> = { ...found.statuses }
    for (const name of listOf(values.processing)) statuses[name] = 'processing'
    for (const name of await answer('paid')) statuses[name] = 'paid'
    for (const name of await answer('failed')) statuses[name] = 'failed'
    profile = { ...found, statuses }
  } else if (found) {
    open.push('Which field is the status? Write its name and its values into the profile.')
  }
  const lines = [
    ...findings.map((finding) => line(finding, terminal)),
    ...open.map((each) => `OPEN  ${each}`),
  ]
  const result = values.json ? JSON.stringify({ v: 1, findings, profile, open }) : lines.join('\n')
  print(redact(result, [target.apiKey, target.otherKey ?? '']))
  if (values.write !== undefined && profile) {
    writeFileSync(values.write, `${JSON.stringify(profile, undefined, 2)}\n`)
    warn(`Wrote ${values.write}. Check it, then set PI_PROFILE=${values.write}.`)
  }
  return findings.some(({ broken }) => broken) ? 1 : 0
}

function listOf(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => text.split(',')).flatMap((name) => name.trim() || [])
}

function otherKeyOf(file: string): string {
  const key = parseEnv(readFileSync(file, 'utf8')).PI_API_KEY
  if (key) return key
  throw new TypeError(`--other-env: ${file} has no PI_API_KEY.`)
}

function line({ gap, here, ours, meaning, broken }: Finding, terminal: Terminal): string {
  const rows = [`here   ${here}`, `ours   ${ours}`, `means  ${meaning}`]
  return [
    `${colored(broken ? 'FAIL' : 'OK', terminal)}  ${gap}`,
    ...rows.map((each) => `        ${each}`),
  ].join('\n')
}
