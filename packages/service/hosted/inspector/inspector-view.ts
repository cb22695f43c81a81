/** Base classes of the inspector's sections. @module */
import type { PropertyValues } from 'lit'
import { property } from 'lit/decorators.js'
import { LightElement } from '../light-element.ts'
import type { InspectorState } from './inspector-state.ts'

export class InspectorView extends LightElement {
  /** Always the same object, so each assignment counts as a change. */
  @property({ attribute: false, hasChanged: () => true }) state!: InspectorState
}

/** A list, and next to it the item that is open. On a phone the item replaces the list, and the focus follows. */
export class PanesView extends InspectorView {
  @property({ attribute: false }) selected: string | undefined

  /** The item whose row was brought into view. A new one is selected before the list has it. */
  #shown: string | undefined

  protected override updated(changed: PropertyValues<this>): void {
    const row = this.querySelector('[data-id][aria-current="true"]')
    if (this.#shown !== this.selected && (row || !this.selected)) {
      this.#shown = this.selected
      row?.scrollIntoView({ block: 'nearest' })
    }
    if (!changed.has('selected')) return
    const before = changed.get('selected')
    if (this.selected) {
      const at = document.activeElement
      if (at !== document.body && !at?.checkVisibility()) this.#detail?.takeFocus()
    } else if (before && document.activeElement === document.body) {
      this.querySelector<HTMLElement>(`[data-id="${before}"]`)?.focus()
    }
  }

  get #detail(): DetailView | null {
    return this.querySelector<DetailView>('.panes > .detail')
  }
}

export class DetailView extends InspectorView {
  #focusPending = false

  /** Moves the focus to the heading as soon as it is rendered. */
  takeFocus(): void {
    this.#focusPending = true
    this.requestUpdate()
  }

  protected override updated(): void {
    const heading = this.#focusPending && this.querySelector('h2')
    if (!heading) return
    this.#focusPending = false
    heading.focus()
  }
}
