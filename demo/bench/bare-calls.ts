/**
 * A payment without our pages: the calls that it needs, one after another, timed where they are made.
 *
 * @module
 */
import { randomUUID } from 'node:crypto'
import type { BrowserContext, Page } from '@playwright/test'
import { Buyer } from '../test/buyer.ts'
import type { House } from './house.ts'

/** The card of every payment here. */
export const card = { number: '4242424242424242', expMonth: 12, expYear: 2034, cvc: '123' }

/** Milliseconds of one payment from the confirm on. */
export interface BareCalls {
  readonly confirm: number
  readonly status: number
  readonly order: number
}

/** Somebody who can speak to both servers. */
export interface Caller {
  /** Becomes another visitor: a shop gives one visitor ten handoffs in ten minutes. */
  anew(): Promise<void>
  shop(path: string, send?: Send): Promise<Answer>
  checkout(path: string, send: Send): Promise<Answer>
}

interface Send {
  readonly method?: 'POST' | 'PUT'
  readonly body: object
  readonly token?: string
}

interface Answer {
  readonly ms: number
  readonly body: Body
}

/** What the asked routes say; each says some of it. */
interface Body {
  readonly orderId?: string
  readonly state?: string
  readonly token?: string
  readonly intent?: { readonly version: number }
}

/** Orders, then pays; only what follows the click is timed. */
export async function payBare(caller: Caller, { shopUrl }: House): Promise<BareCalls> {
  await caller.anew()
  await caller.shop('/api/cart/thyme-tea', { method: 'PUT', body: { quantity: 1 } })
  const { orderId } = (await caller.shop('/api/orders', { body: {} })).body
  const { body: pair } = await caller.shop('/checkout/handoff', { body: { orderId } })
  const opened = await caller.checkout('session', { body: { ...pair, origin: shopUrl } })
  const { token = '', intent } = opened.body
  const confirm = await caller.checkout('confirm', {
    token,
    body: {
      attemptId: randomUUID(),
      version: intent?.version,
      paymentMethod: { type: 'card', card },
    },
  })
  const status = await caller.shop(`/checkout/status?orderId=${orderId}`)
  const order = await caller.shop(`/api/orders/${orderId}`)
  if (status.body.state !== 'paid') throw new Error(`the order is ${status.body.state}`)
  return { confirm: confirm.ms, status: status.ms, order: order.ms }
}

export function sumOf({ confirm, status, order }: BareCalls): number {
  return confirm + status + order
}

/** Calls with Node's fetch, which keeps its connections. */
export function nodeCaller({ shopUrl, checkoutUrl }: House): Caller {
  let buyer = new Buyer(shopUrl)
  const timed = async (request: () => Promise<Response>): Promise<Answer> => {
    const began = performance.now()
    const answer = await request()
    const body = (await answer.json()) as Body
    return checked(answer.status, { ms: performance.now() - began, body })
  }
  return {
    async anew() {
      buyer = await new Buyer(shopUrl).visit()
    },
    shop: (path, send) =>
      timed(() => buyer.send(path, send ? { method: 'POST', ...send } : undefined)),
    checkout: (path, { body, token }) =>
      timed(() =>
        fetch(`${checkoutUrl}/checkout-api/${path}`, {
          method: 'POST',
          headers: {
            ...{ origin: checkoutUrl, 'content-type': 'application/json' },
            ...(token ? { authorization: `Bearer ${token}` } : {}),
          },
          body: JSON.stringify(body),
        }),
      ),
  }
}

/** Calls with the fetch of two tabs, one at each origin, in which nothing else happens. */
export async function tabCaller(
  context: BrowserContext,
  { shopUrl, checkoutUrl }: House,
): Promise<Caller> {
  const shop = await context.newPage()
  const checkout = await context.newPage()
  // A page without a form, whose policy lets it call its own origin.
  await checkout.goto(`${checkoutUrl}/docs`)
  return {
    async anew() {
      await context.clearCookies()
      await shop.goto(`${shopUrl}/orders`)
    },
    shop: (path, send) => timedIn(shop, path, send),
    checkout: (path, send) => timedIn(checkout, `/checkout-api/${path}`, send),
  }
}

async function timedIn(tab: Page, path: string, send?: Send): Promise<Answer> {
  const { status, ...answer } = await tab.evaluate(
    async ({ path, send }) => {
      const headers = {
        'content-type': 'application/json',
        ...(send?.token ? { authorization: `Bearer ${send.token}` } : {}),
      }
      const init = send
        ? {
            method: send.method ?? 'POST',
            headers,
            body: JSON.stringify(send.body),
          }
        : {}
      const began = performance.now()
      const answer = await fetch(path, init)
      const body = (await answer.json()) as Body
      return { status: answer.status, ms: performance.now() - began, body }
    },
    { path, send },
  )
  return checked(status, answer)
}

function checked(status: number, answer: Answer): Answer {
  if (status < 400) return answer
  throw new Error(`a bare call answered ${status}: ${JSON.stringify(answer.body)}`)
}
