/** The handoff inspector: the requests of this order's payment, below the page. Development only. @module */
import { html, nothing, render, type TemplateResult } from 'lit'
import type { TraceData, TraceStep } from '../server/page-data.ts'
import { act } from './page.ts'
import { request } from './request.ts'

/** Adds the inspector below the page's content. It never overlaps the checkout. */
export function openInspector(orderId: string): void {
  if (refreshAgain) return void refreshAgain()
  const place = document.createElement('div')
  document.querySelector('#page')?.after(place)
  const refresh = async () => {
    const data = await request<TraceData>(`/api/trace/${orderId}`).catch(() => undefined)
    if (data) render(drawer(orderId, data), place)
  }
  refreshAgain = refresh
  void refresh()
  setInterval(() => {
    const open = place.querySelector('details')?.open
    if (open && document.visibilityState === 'visible') void refresh()
  }, 1500)
}

/** Set when the inspector exists: a document shows one order. */
let refreshAgain: (() => Promise<void>) | undefined

function drawer(orderId: string, { steps, canLoseResponses }: TraceData): TemplateResult {
  const creates = steps.filter(({ key }) => key !== undefined)
  const keys = new Set(creates.map(({ key }) => key))
  return html`<details class="inspector" lang="en" data-testid="inspector">
    <summary>Handoff inspector <span>development only</span></summary>
    <div class="inspector-body">
      <p>
        Requests between browser, shop, and service, the oldest first. Field names only; values are not
        stored.
        ${creates.length > 0 ? html`<strong>Creates sent: ${creates.length} · keys: ${keys.size}.</strong>` : nothing}
      </p>
      ${
        canLoseResponses
          ? html`<button class="button quiet" data-testid="lose-response" @click=${act(() => lose(orderId))}>
              Lose the next response
            </button>`
          : nothing
      }
      <ol class="steps-taken">${steps.map(stepLine)}</ol>
    </div>
  </details>`
}

function stepLine({
  way,
  what,
  attempt,
  key,
  status,
  code,
  ms,
  retryIn,
  requestId,
}: TraceStep): TemplateResult {
  return html`<li data-way=${way} data-testid="step">
    <span class="way">${way}</span>
    <code>${what}</code>
    ${attempt ? html`<span class="fact">attempt ${attempt}</span>` : nothing}
    ${status || code ? html`<span class="fact" data-bad=${isBad(status)}>${status ?? 'no response'} ${code}</span>` : nothing}
    ${ms === undefined ? nothing : html`<span class="fact">${ms} ms</span>`}
    ${retryIn === undefined ? nothing : html`<span class="fact">again in ${Math.round(retryIn)} ms</span>`}
    ${key ? html`<span class="wide">Idempotency-Key ${key}</span>` : nothing}
    ${requestId ? html`<span class="wide">Request-Id ${requestId}</span>` : nothing}
  </li>`
}

function isBad(status: number | undefined): boolean {
  return status === undefined || status >= 400
}

async function lose(orderId: string): Promise<void> {
  await request(`/api/trace/${orderId}/lose-next-response`, { body: {} })
  location.reload()
}
