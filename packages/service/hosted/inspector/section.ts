/** Base class of the sections. One that fails shows its error and a way on, and tries again with the next read. @module */
import { html, nothing } from 'lit'
import { property } from 'lit/decorators.js'
import { LightElement } from '../light-element.ts'
import type { Sandbox } from './sandbox.ts'
import { text } from './show.ts'

export abstract class Section extends LightElement {
  /** Always the same object, so each assignment counts as a change. */
  @property({ attribute: false, hasChanged: () => true }) sandbox!: Sandbox

  /** The item whose row was brought into view. A new one is open before the list has it. */
  #shown: string | undefined
  /** Whether the focus was inside, and is not there anymore. */
  #lostFocus = false

  protected abstract view(): unknown

  protected override render(): unknown {
    try {
      return this.view()
    } catch (error) {
      const { section } = this.sandbox.route
      const clear = (): void => void this.sandbox.change('DELETE', 'requests')
      return html`<div class="box stack welcome" role="alert">
        <h2>This section cannot be shown</h2>
        <p>The service sent data that the inspector does not understand: <code>${text(Object(error).message)}</code></p>
        <p class="row"><a href=${this.sandbox.link(section)}>Show the list only</a>
          ${section === 'requests' ? html`<button type="button" @click=${clear}>Clear the log</button>` : nothing}</p>
      </div>`
    }
  }

  protected override willUpdate(): void {
    this.#lostFocus ||= this.contains(document.activeElement)
  }

  /** Brings the open row and item into view, and moves a focus whose element has gone to the item, or back to its row. */
  protected override updated(): void {
    const { id } = this.sandbox.route
    const before = this.#shown
    const row = this.querySelector('[data-id][aria-current="true"]')
    const item = this.querySelector<HTMLElement>('.detail h2')
    if (id !== before && (!id || (row && item))) {
      this.#shown = id
      row?.scrollIntoView({ block: 'nearest' })
      // Below the list on a phone.
      if (id) item?.scrollIntoView({ block: 'nearest' })
    }
    const place = item ?? this.querySelector<HTMLElement>(`[data-id="${before}"]`)
    const isLost = document.activeElement === document.body
    if (this.#lostFocus && isLost) place?.focus()
    this.#lostFocus &&= isLost && !place
  }
}
