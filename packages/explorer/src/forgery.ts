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
  const sent: unknown = JSON.parse(body)
  if (typeof sent !== 'object' || sent === null) return body
  const forged = forgeValue(sent)
  const isAdded = forgery === 'added' && !Array.isArray(sent)
  const added = addedFields.map((name) => [name, forgedAmount])
  return JSON.stringify(isAdded ? { ...(forged as object), ...Object.fromEntries(added) } : forged)
}

function forgeFields(fields: URLSearchParams, forgery: Forgery): void {
  const names = [...fields.keys()].filter((name) => priceName.test(name))
  if (forgery === 'added') names.push(...addedFields)
  for (const name of names) fields.set(name, String(forgedAmount))
}

function forgeValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forgeValue)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, field]) => {
    if (!priceName.test(name)) return [name, forgeValue(field)]
    if (typeof field === 'number') return [name, forgedAmount]
    if (typeof field === 'string') return [name, String(forgedAmount)]
    return [name, forgeValue(field)]
  })
  return Object.fromEntries(entries)
}
