/** The profile of a probed service. It has no phase that no response shows. @module */
import type { Profile, RoleField } from '@pi-checkout/contract/profile'
import { valueAt } from '../client/error-meaning.ts'
import { type Answer, isSuccess, matchOf, type Observed, stringAt } from './probe-responses.ts'

export function profileOf({
  first,
  replay,
  reused,
  retrieved,
  unknown,
  wrongKey,
}: Observed): Profile {
  const fields = readFields([first, retrieved])
  const initial = fields.status === null ? undefined : stringAt(retrieved, fields.status)
  const code = findCode([reused, unknown, wrongKey])
  const replayHeader = [...replay.headers.keys()].find(
    (name) => /replay|idempot/.test(name) && !first.headers.has(name),
  )
  return {
    fields,
    timestamps: findUnit(valueAt(retrieved.body, `/${fields.createdAt}`)),
    statuses: initial === undefined ? {} : { [initial]: 'open' },
    replayHeader: replayHeader ?? null,
    errors: {
      code,
      unknownIntent: isSuccess(unknown) ? { status: 404 } : matchOf(unknown, code),
      keyReused: isSuccess(reused) ? null : matchOf(reused, code),
      transient: [],
    },
  }
}

/** Compares the time of a new intent with the clock of this computer. */
function findUnit(time: unknown): Profile['timestamps'] {
  const isNow = (ms: number): boolean => Math.abs(Date.now() - ms) < 86_400_000
  if (typeof time !== 'number') return undefined
  if (isNow(time)) return 'milliseconds'
  return isNow(time * 1000) ? 'seconds' : undefined
}

const specified = new Set([
  'id',
  'amount',
  'currency',
  'orderId',
  'clientSecret',
  'customer',
  'metadata',
])

/** How services name the roles, the usual names first. */
const roleNames: Readonly<Record<RoleField, readonly RegExp[]>> = {
  status: [
    /^status$/i,
    /^(payment_?)?(status|state)$/i,
    /^(?!.{0,60}(auth|action|3ds)).{0,60}(status|state)/i,
  ],
  paymentMethod: [/^payment_?method$/i, /method|instrument/i],
  lastPaymentFailure: [/fail|error|decline/i],
  nextAction: [/next_?action/i, /action|auth|redirect|challenge|3ds/i],
  providerPaymentId: [/provider|acquirer|processor|psp|gateway/i],
  createdAt: [/creat/i],
  updatedAt: [/updat|modif|chang/i],
}

/** Guesses the role of each field by its name. A field has one role, and the status must be text. */
function readFields(answers: readonly Answer[]): Profile['fields'] {
  const values = new Map<string, unknown>(
    answers.flatMap(({ body }) => Object.entries(Object(body) as object)),
  )
  const free = new Set([...values.keys()].filter((name) => !specified.has(name)))
  const take = (role: RoleField): string | null => {
    for (const pattern of roleNames[role]) {
      const found = [...free].find(
        (name) => pattern.test(name) && (role !== 'status' || typeof values.get(name) === 'string'),
      )
      if (found !== undefined && free.delete(found)) return found
    }
    return null
  }
  const roles = Object.keys(roleNames) as RoleField[]
  return Object.fromEntries(roles.map((role) => [role, take(role)])) as Profile['fields']
}

/** Returns the JSON Pointer to a short text that all error bodies have, and that differs between them. */
function findCode(answers: readonly Answer[]): string | null {
  const bodies = answers.flatMap(({ body }) => (body === undefined ? [] : [body]))
  const names = ['code', 'errorCode', 'error_code', 'type', 'reason', 'error', 'name']
  const pointers = ['', '/error', '/errors/0'].flatMap((parent) =>
    names.map((name) => `${parent}/${name}`),
  )
  const isCode = (pointer: string): boolean => {
    const found = bodies.map((body) => valueAt(body, pointer))
    const areCodes = found.every(
      (value) => typeof value === 'string' && /^[\w.-]{2,64}$/.test(value),
    )
    return areCodes && new Set(found).size > 1
  }
  return pointers.find(isCode) ?? null
}
