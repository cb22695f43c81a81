/** Forged amounts in the requests of a buyer: in the address, in a form, and at any depth of a JSON body. @module */
import type { BuyerRequest } from './adapter.ts'

/** An amount that no shop has. */
export const forgedAmount = 7

/** `added`: also fields that the request does not have, which a shop may reject. `replaced`: only those that it has. */
export const forgeries = ['added', 'replaced'] as const

export type Forgery = (typeof forgeries)[number]

/** Names that shops give to amounts. */
const priceName = /amount|price|total|cost/i
const addedFields = ['amount', 'price', 'total', 'unitPrice']

export function forgeAddress(url: URL, forgery: Forgery): void {
  forgeFields(url.searchParams, forgery)
}

export function forgeBody(body: BuyerRequest['body'], forgery: Forgery): BuyerRequest['body'] {
  if (body === undefined) return undefined
  if (body instanceof URLSearchParams) {
    const form = new URLSearchParams(body)
    forgeFields(form, forgery)
    return form
  }
  const sent: unknown = JSON.parse(body, (name, value) => {
    if (!priceName.test(name)) return value
    if (typeof value === 'number') return forgedAmount
    return typeof value === 'string' ? String(forgedAmount) : value
  })
  const isObject = typeof sent === 'object' && sent !== null && !Array.isArray(sent)
  if (forgery === 'replaced' || !isObject) return JSON.stringify(sent)
  const added = addedFields.map((name) => [name, forgedAmount])
  return JSON.stringify({ ...sent, ...Object.fromEntries(added) })
}

function forgeFields(fields: URLSearchParams, forgery: Forgery): void {
  const names = [...fields.keys()].filter((name) => priceName.test(name))
  if (forgery === 'added') names.push(...addedFields)
  for (const name of names) fields.set(name, String(forgedAmount))
}
