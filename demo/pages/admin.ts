/**
 * The back office: orders with their intents and verdicts. Development only, with a separate token.
 *
 * The token is in the address's fragment. The page removes it there and keeps it in memory.
 *
 * @module
 */
import { html, nothing, render, type TemplateResult } from 'lit'
import type { BackOfficeData } from '../server/page-data.ts'
import { RequestError, request } from './request.ts'

let token = location.hash.slice(1)
history.replaceState(null, '', location.pathname)
void load('data')

async function load(what: 'data' | 'reconcile'): Promise<void> {
  if (!token) return draw(loginForm(''))
  const options = what === 'reconcile' ? { body: {} } : {}
  try {
    draw(office(await request<BackOfficeData>(`/admin/${what}`, { ...options, token })))
  } catch (error) {
    const forbidden = error instanceof RequestError && error.status === 403
    draw(loginForm(forbidden ? 'The token is wrong.' : 'The shop is not responding.'))
  }
}

function draw(content: TemplateResult): void {
  document.title = 'Back office · Tsiran'
  const page = document.querySelector<HTMLElement>('#page')
  if (!page) return
  render(
    html`<header class="top"><div class="top-row">
        <a class="brand" href="/"><img src="/pictures/mark.svg" alt="" width="38" height="38">Tsiran</a>
        <span class="muted">Back office · development only</span>
      </div></header>
      <main>${content}</main>`,
    page,
  )
}

function loginForm(message: string): TemplateResult {
  return html`<form class="login" @submit=${enter}>
    <h1>Back office</h1>
    <p class="muted">
      The shop prints a link with the token when it starts; the token itself is in the file
      <code>admin-token</code> of its data folder.
    </p>
    ${message ? html`<p class="notice bad" role="alert">${message}</p>` : nothing}
    <label for="token">Token</label>
    <input id="token" name="token" type="password" autocomplete="off" required>
    <button class="button">Open</button>
  </form>`
}

function enter(event: SubmitEvent): void {
  event.preventDefault()
  const field = document.querySelector<HTMLInputElement>('#token')
  token = field?.value.trim() ?? ''
  void load('data')
}

function office({ orders, inspectorUrl }: BackOfficeData): TemplateResult {
  const alerts = orders.flatMap(({ intents }) => intents).filter(({ alert }) => alert !== null)
  return html`
    <div class="office-head">
      <div>
        <h1>Back office</h1>
        <p class="muted">
          ${orders.length} ${orders.length === 1 ? 'order' : 'orders'} ·
          <span data-testid="alerts">${alerts.length === 0 ? 'no alerts' : `${alerts.length} to review`}</span>
        </p>
      </div>
      <div class="actions">
        ${inspectorUrl ? html`<a class="button quiet" href=${inspectorUrl} target="_blank" rel="noopener">Service inspector</a>` : nothing}
        <button class="button" data-testid="reconcile" @click=${() => load('reconcile')}>Reconcile now</button>
      </div>
    </div>
    ${
      orders.length === 0
        ? html`<p class="muted">No order has been placed yet.</p>`
        : html`<div class="office-table" tabindex="0" role="region" aria-label="Orders"><table>
            <thead><tr>
              <th scope="col">Order</th><th scope="col">State</th><th scope="col">Amount</th>
              <th scope="col">Intent</th><th scope="col">Attempt</th><th scope="col">Verdict</th>
            </tr></thead>
            ${orders.map((order) => orderRows(order, inspectorUrl))}
          </table></div>`
    }
  `
}

type OfficeOrder = BackOfficeData['orders'][number]

function orderRows(
  { id, state, amount, intents }: OfficeOrder,
  inspectorUrl: string | null,
): TemplateResult {
  const span = Math.max(1, intents.length)
  const [first, ...others] = intents
  return html`<tbody data-testid="office-order" data-order=${id}>
    <tr>
      <th scope="rowgroup" rowspan=${span}><code>${id}</code></th>
      <td rowspan=${span}><span class="badge" data-state=${state}>${state}</span></td>
      <td rowspan=${span} class="money">${amount}</td>
      ${first ? intentCells(first, inspectorUrl) : html`<td colspan="3" class="muted">no handoff yet</td>`}
    </tr>
    ${others.map((intent) => html`<tr>${intentCells(intent, inspectorUrl)}</tr>`)}
  </tbody>`
}

function intentCells(
  intent: OfficeOrder['intents'][number],
  inspectorUrl: string | null,
): TemplateResult {
  const { id, attempt, amount, verdict, current, alert } = intent
  const name = html`<code>${id}</code>`
  const link = html`<a href="${inspectorUrl}#/intents/${id}" target="_blank" rel="noopener">${name}</a>`
  return html`
    <td>${inspectorUrl ? link : name}<span class="muted">${current ? 'current' : 'old'} · ${amount}</span></td>
    <td>${attempt}</td>
    <td>
      ${verdict ?? 'no verdict yet'}
      ${alert ? html`<strong class="alert" data-testid="alert">${alert}</strong>` : nothing}
    </td>
  `
}
