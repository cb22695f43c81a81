/**
 * What the two operations read of a request, each with the problem that a wrong one is.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  apiVersions,
  type CreatePaymentIntent,
  CreatePaymentIntentSchema,
  type FieldErrors,
  fieldErrors,
  headers,
  paymentIntentIdPattern,
  routes,
} from '@pi-checkout/contract'
import { readJson } from '../http/json.ts'
import { onlyHeader } from '../http/only-header.ts'
import { ProblemError } from '../http/problem.ts'

/** The address of all intents; that of one follows a slash. */
export const collection = routes.create.path

/** A secret key has no business in a browser, and these headers come from nowhere else. */
export function refuseBrowser({ headers: sent }: IncomingMessage): void {
  if (sent.origin === undefined && sent['sec-fetch-site'] === undefined) return
  throw new ProblemError(
    'secret_key_in_browser',
    "Secret API keys are for the merchant's server only; call this from there, and give the page id and clientSecret.",
  )
}

/** Reads `Api-Version`. Returns the header that the answer repeats, or none. */
export function readApiVersion(request: IncomingMessage): Readonly<Record<string, string>> {
  const version = onlyHeader(request, headers.apiVersion)
  if (version === undefined) return {}
  if (isApiVersion(version)) return { [headers.apiVersion]: version }
  throw new ProblemError(
    'unsupported_api_version',
    `Api-Version must be ${apiVersions.join(' or ')}; leave it out for the newest.`,
  )
}

/** Puts the header that a refusal repeats as well, wherever in the checks it comes from. */
export function repeatApiVersion(request: IncomingMessage, response: ServerResponse): void {
  const version = request.headers[headers.apiVersion]
  if (typeof version !== 'string' || !isApiVersion(version) || response.headersSent) return
  response.setHeader(headers.apiVersion, version)
}

function isApiVersion(text: string): boolean {
  return (apiVersions as readonly string[]).includes(text)
}

/** Reads the body of a create: strict JSON, then the fields. */
export function readCreate(bytes: Buffer): CreatePaymentIntent {
  const input = readJson(bytes)
  const result = CreatePaymentIntentSchema.safeParse(input)
  if (result.success) return result.data
  const found = fieldErrors(result.error, input)
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new ProblemError('invalid_body', detailOf(found), found)
  }
  const unknown = found.errors.some(({ code }) => code === 'unknown_parameter')
  throw new ProblemError(
    unknown ? 'unknown_parameter' : 'validation_failed',
    detailOf(found),
    found,
  )
}

/** How many faults the detail repeats in words. */
const mostInDetail = 5

function detailOf({ errors, errorsOmitted }: FieldErrors): string {
  const words = errors.slice(0, mostInDetail).map(({ detail }) => detail)
  const more = errors.length + errorsOmitted - words.length
  return `${words.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`
}

/** Returns the id in a path; `undefined` when it cannot be one. */
export function idOf(url: string): string | undefined {
  const [path = ''] = url.split('?', 1)
  const id = path.slice(collection.length + 1)
  return paymentIntentIdPattern.test(id) ? id : undefined
}
