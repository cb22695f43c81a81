/** The profile of the service: where it comes from, and whether it is valid. @module */
import { ownProfile, ownProfileName, type Profile } from '@pi-checkout/contract/profile'
import { z } from 'zod'
import { ConfigurationError } from './errors.ts'

// Built on first use: most shops need no profile, and each import would take the time.
let schema: z.ZodType<Profile> | undefined

function profileSchema(): z.ZodType<Profile> {
  const name = z.string().min(1)
  const match = z.strictObject({ status: z.int().min(400).max(599), code: z.string().optional() })
  return z.strictObject({
    fields: z.strictObject({
      status: name.nullable(),
      paymentMethod: name.nullable(),
      lastPaymentFailure: name.nullable(),
      nextAction: name.nullable(),
      providerPaymentId: name.nullable(),
      createdAt: name.nullable(),
      updatedAt: name.nullable(),
    }),
    timestamps: z.enum(['seconds', 'milliseconds']).optional(),
    statuses: z.record(z.string(), z.enum(['open', 'processing', 'paid', 'failed'])),
    replayHeader: z
      .string()
      .regex(/^[a-z\d-]+$/, 'must be a header in lower case')
      .nullable(),
    errors: z.strictObject({
      code: z.string().startsWith('/').nullable(),
      unknownIntent: match,
      keyReused: match.nullable(),
      transient: z.array(match),
    }),
  })
}

/**
 * Returns a profile.
 *
 * @param value - A profile, or the name of ours.
 * @param field - The option or variable, for errors.
 * @throws {ConfigurationError} If it is malformed. The message names the field and the rule.
 */
export function checkedProfile(value: unknown, field = 'profile'): Profile {
  if (value === ownProfileName) return ownProfile
  schema ??= profileSchema()
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const path = issue?.path.join('.') ?? ''
  const rule = `${path === '' ? 'must be a profile' : `${path}: ${issue?.message}`}.`
  throw new ConfigurationError(
    field,
    `${rule} Create it with "npx pi-checkout probe --write profile.json".`,
  )
}

/**
 * Reads the profile that `PI_PROFILE` names; `undefined` if it is not set.
 *
 * @throws {ConfigurationError} If its file cannot be read, or is malformed.
 */
export function variableProfile(): Profile | undefined {
  const value = globalThis.process?.env?.PI_PROFILE
  if (!value) return undefined
  return checkedProfile(value === ownProfileName ? value : readFile(value), 'PI_PROFILE')
}

function readFile(path: string): unknown {
  try {
    return JSON.parse(process.getBuiltinModule('node:fs').readFileSync(path, 'utf8'))
  } catch (cause) {
    const rule = `must be "${ownProfileName}", or a JSON file that this process can read; received ${JSON.stringify(path)}.`
    throw new ConfigurationError('PI_PROFILE', rule, { cause })
  }
}
