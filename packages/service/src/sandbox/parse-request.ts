/** Schemas of sandbox requests. Unknown query parameters are ignored. @module */
import { paymentIntentIdPattern, paymentIntentStatuses } from '@pi-checkout/contract'
import { readOrigin } from '@pi-checkout/contract/origin'
import { z } from 'zod'
import { faultNames, faultOperations, simulatedOutcomes } from '../../shared/sandbox-api.ts'
import { readFault } from './faults/queued-rules.ts'

export const IdSchema = z.object({ id: z.string() })

const originRule =
  'must be an exact origin such as https://shop.example.com; http is accepted for loopback only'
const Origin = z.string(originRule).refine((text) => readOrigin(text) !== undefined, {
  message: originRule,
  params: { code: 'invalid_format' },
})
export const RegisterOriginSchema = z.strictObject({ origin: Origin })
export const RemoveOriginSchema = z.object({ origin: z.string('must be a registered origin') })
export const CreateEnvironmentSchema = z.strictObject({
  origins: z.array(Origin).max(20, 'must be at most 20 origins').default([]),
})

const faultRule = `must be one of ${faultNames}`
const timesRule = 'must be an integer from 1 to 1000'
export const FaultRuleSchema = z.strictObject({
  on: z.enum(faultOperations, `must be ${faultOperations.join(' or ')}`),
  do: z.string(faultRule).refine((text) => readFault(text) !== undefined, {
    message: faultRule,
    params: { code: 'not_supported' },
  }),
  times: z.int(timesRule).min(1, timesRule).max(1000, timesRule).default(1),
})

export const SettleSchema = z.strictObject({
  outcome: z.enum(simulatedOutcomes, `must be one of ${simulatedOutcomes.join(', ')}`),
})

export const ResetSchema = z.strictObject({
  environment: z
    .string()
    .regex(/^\w{1,128}$/, 'must be the id of a test environment')
    .optional(),
})

export const IntentsQuerySchema = z.object({
  before: z.string().regex(paymentIntentIdPattern, 'must be the id of a Payment Intent').optional(),
  q: z
    .string()
    .trim()
    .max(200, 'must have at most 200 characters')
    .transform((text) => text || undefined)
    .optional(),
  status: z
    .enum(paymentIntentStatuses, `must be one of ${paymentIntentStatuses.join(', ')}`)
    .optional(),
})
