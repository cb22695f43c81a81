/** The newest intents, or the one of the address. @module */
import type { PaymentIntent } from '@pi-checkout/contract'
import { html } from 'lit'
import type { ShownIntent } from '../../shared/sandbox-api.ts'
import { intentDetail } from './intent-detail.ts'
import { amountOf, badge, customerOf, empty, type Line, list, name } from './markup.ts'
import type { Sandbox, Source } from './sandbox.ts'

export async function intentsSection(source: Source): Promise<() => unknown> {
  const { sandbox, environment, get } = source
  const { id, q = '' } = source.route
  if (id) {
    const detail = await get<ShownIntent>(`/intents/${id}`)
    return () =>
      detail?.environment === environment.id
        ? intentDetail(sandbox, detail)
        : empty(
            'No test intent has this id',
            'A reset may have deleted it. Choose another one from the list.',
          )
  }
  const found = await get<{ readonly intents: readonly PaymentIntent[] }>(
    `intents?${new URLSearchParams({ q })}`,
  )
  const intents = found?.intents ?? []
  return () =>
    list(sandbox, {
      label: 'intents',
      placeholder: 'Order, customer, status',
      lines: intents.map((intent) => lineOf(sandbox, intent)),
      none: empty(
        'No Payment Intent yet',
        html`Create one from your server: it appears here immediately. <a href=${sandbox.link('requests')}>Requests</a> shows
          why a create failed.`,
        html`<a href="/docs#create">How to create one</a>`,
      ),
    })
}

function lineOf(sandbox: Sandbox, intent: PaymentIntent): Line {
  return {
    title: name(intent.orderId),
    amount: amountOf(intent),
    badge: badge(intent.status),
    notes: [customerOf(intent)],
    at: intent.createdAt,
    href: sandbox.link('intents', intent.id),
  }
}
