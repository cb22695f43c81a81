/**
 * What this room's benchmark measures, and how good it has to be.
 *
 * @module
 */
import type { Definition } from '../../../.ci/bench/row.ts'

/** Bytes that the self-contained file may have after gzip, Lit included. */
export const budget = 10_500

/** A shop's choices, and what their own guides tell it to import. */
export const peers = {
  'Adyen Drop-in': "export { AdyenCheckout, Card, Dropin } from '@adyen/adyen-web'",
  'Braintree Drop-in': "export { default } from 'braintree-web-drop-in'",
  "PayPal's zoid": "export { default } from 'zoid'",
  penpal: "export * from 'penpal'",
} as const

export type Peer = keyof typeof peers

export const formats = ['gzip', 'brotli'] as const

export type Format = (typeof formats)[number]

const file = (format: Format) => `element's self-contained file, Lit included, ${format}`

export const withinBudget: Definition = {
  what: file('gzip'),
  against: `${budget} bytes`,
  target: '≤ 1',
}

/** The file beside one peer's, bundled the same way. */
export function besidePeer(peer: Peer, format: Format): Definition {
  const definition = { what: file(format), against: `${peer}, bundled the same way` } as const
  if (peer !== 'penpal') return { ...definition, target: '≤ 1' }
  const note = 'penpal passes messages and nothing else: no element, frame, states or texts'
  return { ...definition, target: '', note }
}

export const mount: Definition = {
  what: 'mount to pi-ready, Chromium',
  against: 'a bare iframe of the same page with the shortest handshake',
  target: '≤ 1.1',
}

/** All of it, in the order of the printed table. */
export const table: readonly Definition[] = [
  withinBudget,
  ...formats.flatMap((format) =>
    (Object.keys(peers) as Peer[]).map((peer) => besidePeer(peer, format)),
  ),
  mount,
]
