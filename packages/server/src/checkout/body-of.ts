/** The body of the create for an order. @module */
import type { CreateParams } from '../client/create-params.ts'
import { readCreateParams } from '../client/create-params.ts'
import { InvalidParamsError } from '../client/errors.ts'
import type { CheckoutOrder } from './payment-state.ts'

/**
 * Returns what the create of an order sends. The order may have other fields. An e-mail or a name that the service would
 * refuse is left out: it must not keep a buyer from paying.
 *
 * @throws {InvalidParamsError} If another field is invalid.
 */
export function bodyOf(order: CheckoutOrder): CreateParams {
  const { orderId, amount, currency, customer, metadata } = order
  const body = { orderId, amount, currency, customer, metadata }
  try {
    return readCreateParams(body)
  } catch (error) {
    const unfit =
      error instanceof InvalidParamsError ? error.errors.map(({ pointer }) => pointer) : []
    const isOptional = (name: string): boolean => unfit.includes(`/customer/${name}`)
    if (!customer || !(isOptional('email') || isOptional('name'))) throw error
    const { id } = customer
    const email = isOptional('email') ? undefined : customer.email
    const name = isOptional('name') ? undefined : customer.name
    return readCreateParams({ ...body, customer: { id, email, name } })
  }
}
