import { expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import type * as schemas from '../src/payment-intent-schema.ts'
import type * as problems from '../src/problem-schema.ts'

test('each plain type is exactly what its schema reads', () => {
  type Read<Schema extends z.ZodType> = z.output<Schema>
  expectTypeOf<
    Read<typeof schemas.CreatePaymentIntent>
  >().toEqualTypeOf<schemas.CreatePaymentIntent>()
  expectTypeOf<Read<typeof schemas.PaymentMethod>>().toEqualTypeOf<schemas.PaymentMethod>()
  expectTypeOf<Read<typeof schemas.PaymentFailure>>().toEqualTypeOf<schemas.PaymentFailure>()
  expectTypeOf<Read<typeof schemas.NextAction>>().toEqualTypeOf<schemas.NextAction>()
  expectTypeOf<Read<typeof schemas.PaymentIntent>>().toEqualTypeOf<schemas.PaymentIntent>()
  expectTypeOf<
    Read<typeof schemas.CreatedPaymentIntent>
  >().toEqualTypeOf<schemas.CreatedPaymentIntent>()
  expectTypeOf<Read<typeof problems.FieldError>>().toEqualTypeOf<problems.FieldError>()
  expectTypeOf<Read<typeof problems.Problem>>().toEqualTypeOf<problems.Problem>()
})
