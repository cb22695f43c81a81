/**
 * What the shadow root of the element contains: one box with a slot, the loading text, the error, and the frame.
 *
 * @module
 */
import type { CheckoutError } from './errors.ts'
import type { CheckoutState } from './events.ts'
import type { Texts } from './locale.ts'

/** What to show. */
export interface Shown {
  readonly state: CheckoutState
  readonly error: CheckoutError | null
  /** The error's message and fix, in a test environment. */
  readonly help: string
  readonly texts: Texts
  readonly frame: HTMLIFrameElement | undefined
}

/** The box. It changes only what differs, because a moved frame loads again. */
export class CheckoutView {
  readonly box: HTMLElement
  readonly #slot = create('slot', {})
  readonly #loading = create('div', { part: 'loading', role: 'status' })
  readonly #error = create('div', { part: 'error', role: 'alert' })
  readonly #retry = create('button', { part: 'retry' })
  #shown = ''

  constructor(retry: () => void) {
    this.box = create('div', { class: 'box' }, this.#slot, this.#loading, this.#error)
    this.#retry.onclick = retry
  }

  /** Shows a state. */
  show({ state, error, help, texts, frame }: Shown): void {
    if (frame && !frame.parentNode) this.box.append(frame)
    const shown = [state, error?.code, error?.retryable, help, texts.title].join()
    if (shown === this.#shown) return
    this.#shown = shown
    this.#slot.hidden = state !== 'idle'
    const loading = [
      create('slot', { name: 'loading' }, texts.loading),
      create('p', {}, texts.slow),
    ]
    this.#loading.replaceChildren(...(state === 'loading' ? loading : []))
    this.#retry.textContent = texts.retry
    this.#error.replaceChildren(
      ...(error ? [create('slot', { name: 'error' }, texts.unavailable)] : []),
      ...(help ? [create('p', {}, help)] : []),
      ...(error?.retryable ? [this.#retry] : []),
    )
  }
}

function create<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}
