/** What the responses of a probed service mean for a shop. @module */
import {
  type ErrorMatch,
  ownProfile,
  ownProfileName,
  type Profile,
} from '@pi-checkout/contract/profile'
import { headers } from '@pi-checkout/contract/routes'
import { valueAt } from '../client/error-meaning.ts'
import { type Answer, isSuccess, matchOf, type Observed, stringAt } from './probe-responses.ts'

/** One gap of the specification. */
export interface Finding {
  readonly gap: string
  readonly here: string
  readonly ours: string
  readonly meaning: string
  /** Whether the service breaks the specification. */
  readonly broken: boolean
}

export function findingsOf(
  observed: Observed,
  { fields, timestamps, replayHeader, errors }: Profile,
): Finding[] {
  const { id, currency, first, replay, reused, invalid, full, retrieved } = observed
  const { unknown, wrongKey, foreign } = observed
  const shown = (answer: Answer): string => text(matchOf(answer, errors.code))
  const isFirst = (answer: Answer): boolean => stringAt(answer, 'id') === id
  const isOurs = first.headers.get(headers.profile) === ownProfileName
  const isNew = isSuccess(reused) && !isFirst(reused)
  const isWhole = isEchoed(first, null) && isEchoed(full, 'probe', 'yes')
  const unnamed = Object.entries(fields).flatMap(([role, name]) => (name === null ? [role] : []))
  const names = Object.values(fields).filter((name) => name !== null)
  const ours = ownProfile.errors
  return [
    row(
      'service',
      isOurs ? 'names itself as @pi-checkout/service' : 'another one',
      `${headers.profile}: ${ownProfileName}`,
      isOurs ? 'no profile is needed' : 'set PI_PROFILE, or no status means paid',
    ),
    row(
      'create again with the same key',
      `${replay.status}, ${isFirst(replay) ? 'the same intent' : 'another intent'}, ${replayHeader ?? 'no header'}`,
      `201, the same intent, ${ownProfile.replayHeader}`,
      replayHeader ? 'a replay is recognized' : 'each new handoff retrieves its intent once',
      !isFirst(replay) && 'a retry creates a second intent: do not use this service',
    ),
    row(
      'the same key with another body',
      isSuccess(reused)
        ? `${reused.status}, ${isNew ? 'a new' : 'the first'} intent`
        : shown(reused),
      text(ours.keyReused),
      'derived keys differ for each body, so a shop does not see it',
      isNew && 'the key does not protect from a second intent',
    ),
    row('amount 0', String(invalid.status), '400', 'the helper rejects it', isSuccess(invalid)),
    row(
      'an unknown intent',
      shown(unknown),
      text(ours.unknownIntent),
      'a stored intent that is gone cannot be paid',
      isSuccess(unknown),
    ),
    row(
      'an intent of another merchant',
      foreign ? shown(foreign) : 'not checked: pass --other-env',
      text(ours.unknownIntent),
      foreign ? 'others cannot read it' : 'it is not known whether others can read it',
      foreign !== undefined && isSuccess(foreign) && 'others can read it',
    ),
    row(
      'a wrong key',
      shown(wrongKey),
      '401 invalid_credentials',
      shown(wrongKey) === shown(unknown)
        ? 'check() cannot tell a wrong key from an unknown intent'
        : 'check() finds a wrong key',
      isSuccess(wrongKey),
    ),
    row(
      'currency in lower case',
      stringAt(first, 'currency') ?? 'no currency',
      currency,
      'compared with the order',
      stringAt(first, 'currency') !== currency,
    ),
    row(
      'customer and metadata',
      isWhole ? 'returned, null if absent' : 'changed',
      'returned, null if absent',
      'a response without them is rejected',
      !isWhole,
    ),
    row(
      'clientSecret when retrieved',
      stringAt(retrieved, 'clientSecret') === undefined ? 'no' : 'yes',
      'no',
      'the helper removes it',
    ),
    row(
      'names of the role fields',
      names.join(', ') || 'none',
      Object.values(ownProfile.fields).join(', '),
      unnamed.length === 0 ? 'all were found' : `null: ${unnamed.join(', ')}`,
    ),
    row(
      'timestamps',
      timestamps ?? (stringAt(retrieved, fields.createdAt ?? '') ? 'text' : 'not known'),
      'text, RFC 3339',
      'createdAt and updatedAt are text, or null if they are not known',
    ),
    row(
      'status of a new intent',
      stringAt(retrieved, fields.status ?? '') ?? 'not found',
      'requires_payment_method',
      'open: it can be paid',
    ),
  ]
}

/** Returns the only finding about a service whose first create failed. */
export function failedCreate(first: Answer): Finding {
  const here = isSuccess(first) ? `${first.status}, no id` : String(first.status)
  const meaning = 'nothing else was checked: check PI_BASE_URL, the key, and --currency'
  return row('create', here, '201', meaning, true)
}

/** @param broken - Whether the service breaks the specification, or what that means. */
function row(
  gap: string,
  here: string,
  ours: string,
  meaning: string,
  broken: boolean | string = false,
): Finding {
  const means = typeof broken === 'string' ? broken : meaning
  return { gap, here, ours, meaning: means, broken: broken !== false }
}

function text({ status, code }: ErrorMatch): string {
  return code === undefined ? String(status) : `${status} ${code}`
}

/** Returns whether an intent has the customer's id and the note of its create, or null for both. */
function isEchoed({ body }: Answer, customerId: string | null, note = customerId): boolean {
  const { customer, metadata } = Object(body) as Record<string, unknown>
  if (customerId === null) return customer === null && metadata === null
  return valueAt(customer, '/id') === customerId && valueAt(metadata, '/probe') === note
}
