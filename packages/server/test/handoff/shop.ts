/** A shop with one order, and the requests of its page. @module */
import { onTestFinished, vi } from 'vitest'
import { optionsWith } from '../../src/client/test-time.ts'
import {
  createHandoff,
  type HandoffHandler,
  type HandoffOptions,
  type HandoffOrder,
  PaymentIntents,
} from '../../src/index.ts'
import { apiKey, order } from '../scripted-service.ts'

export const origin = 'https://shop.example'
export const closed = 'http://127.0.0.1:1'
export const k1 = `k1:${Buffer.alloc(32, 'the first key').toString('base64url')}`
export const k2 = `k2:${Buffer.alloc(32, 'the second key').toString('base64url')}`

export interface Shop {
  readonly handoff: (body: unknown, headers?: Record<string, string>) => Promise<Response>
  readonly status: (orderId?: string, headers?: Record<string, string>) => Promise<Response>
  readonly handle: HandoffHandler
  /** The shop's order, as its hooks read and write it. */
  readonly row: Row
  readonly hooks: Pick<HandoffOptions<HandoffOrder>, 'order' | 'saveIntent'>
}

export type Row = HandoffOrder & { intentId: string | null; attempt?: number; paid?: boolean }
export type ShopOptions = Partial<HandoffOptions> & {
  readonly base?: string
  readonly row?: Partial<Row>
  readonly now?: () => number
}

export function shop(baseUrl: string, { base = origin, ...options }: ShopOptions = {}): Shop {
  const row: Row = { ...order, intentId: null, ...options.row }
  const { now = Date.now, resumeCookie } = options
  const hooks: Shop['hooks'] = {
    order: ({ orderId = order.orderId }) => (orderId === order.orderId ? { ...row } : undefined),
    // As in guides/reload-and-edited-order.md, on one row.
    saveIntent: ({ order: { amount, currency, attempt }, intent }) => {
      const isSame =
        amount === row.amount && currency === row.currency && attempt === row.attempt && !row.paid
      if (isSame) row.intentId = intent.id
      return isSame
    },
  }
  const handle = createHandoff<HandoffOrder>({
    intents: new PaymentIntents({ apiKey, baseUrl, maxRetries: 0 }),
    shopOrigin: base,
    onError: () => {},
    ...hooks,
    settle: ({ intent, phase, nextAttempt }) => {
      if (row.intentId !== intent.id) return
      if (phase === 'paid') row.paid = true
      else Object.assign(row, { intentId: null, attempt: nextAttempt })
    },
    ...options,
    ...{ resumeCookie: resumeCookie === false ? false : { keys: k1, ...resumeCookie } },
    ...optionsWith({ clock: now }),
  })
  return {
    ...{ handle, hooks, row },
    handoff: (body, headers = {}) =>
      handle(
        new Request(`${base}/checkout/handoff`, {
          method: 'POST',
          headers: { origin: base, 'content-type': 'application/json', ...headers },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
      ),
    status: (orderId, headers = {}) => {
      const query = orderId === undefined ? '' : `?orderId=${encodeURIComponent(orderId)}`
      return handle(new Request(`${base}/checkout/status${query}`, { headers }))
    },
  }
}

/** A handler that needs no service. */
export function handlerOf(options: ShopOptions): HandoffHandler {
  return shop(closed, { intents: {} as never, ...options }).handle
}

export function cookieOf(response: Response): string {
  return response.headers.get('set-cookie')?.split(';')[0] ?? ''
}

export function captureStderr() {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => error.mockRestore())
  return error
}
