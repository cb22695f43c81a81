/** The card form: four fields that format and validate their values, one button, one notice. @module */
import { html, nothing, type TemplateResult } from 'lit'
import { property, query, state } from 'lit/decorators.js'
import type { CardDetails } from '../../shared/checkout-api.ts'
import type { Language } from '../../shared/language.ts'
import { LightElement } from '../light-element.ts'
import {
  brandOf,
  brands,
  type CardFields,
  codeSize,
  digitsOf,
  type FieldErrors,
  type FieldName,
  formatCvc,
  formatExpiry,
  groupNumber,
  readCard,
  validate,
} from './card-fields.ts'
import { brandIcon, spinner, warningIcon } from './icons.ts'
import { sandboxPanel } from './sandbox-panel.ts'
import { fill, type Texts, texts } from './texts.ts'

/** What the form shows above Pay. Texts of the service itself have no key. */
export interface FormNotice {
  readonly key: keyof Texts | undefined
  readonly text: string
}

/** What is not the buyer's fault and asks for nothing is not red. */
export function toneOf(notice: FormNotice | undefined): 'bad' | 'quiet' {
  return neutral.has(notice?.key) ? 'quiet' : 'bad'
}

const neutral: ReadonlySet<FormNotice['key']> = new Set([
  'offline',
  'connection',
  'unknown',
  'again',
])

export class CardForm extends LightElement {
  @property({ attribute: false }) language: Language = 'en'
  @property({ attribute: false }) payLabel = ''
  @property({ attribute: false }) notice: FormNotice | undefined
  /** Whether a desktop's keyboard is in the number field at the start. Not in a frame, whose page has the focus. */
  @property({ attribute: false }) takesFocus = false
  @property({ attribute: false }) busy = false
  @property({ attribute: false }) sandbox = false
  @property({ attribute: false }) onPay: (card: CardDetails) => void = () => {}
  @property({ attribute: false }) onCancel: () => void = () => {}
  @state() private errors: FieldErrors = {}
  @query('.pay') private readonly payButton!: HTMLButtonElement | null
  @query('.notice:not(:empty)') private readonly shownNotice!: HTMLElement | null
  /** The value that the latest notice is about. */
  #rejected:
    | { readonly key: FormNotice['key']; readonly name: FieldName; readonly value: string }
    | undefined
  /** Settled while no pointer is pressed. */
  #pressed: Promise<unknown> | undefined
  /** Values after the latest event. The inputs themselves hold the current ones. */
  #before: CardFields = { number: '', expiry: '', cvc: '', name: '' }

  /** Moves the focus to the field at fault, or to the message: the keyboard of a phone would cover that. */
  async focusNotice(): Promise<void> {
    await this.updateComplete
    const name = hasKeyboard() ? fieldNames.find((each) => this.#isRejected(each)) : undefined
    if (name) this.#input(name)?.focus()
    else this.shownNotice?.focus({ preventScroll: true })
  }

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.get('busy') !== true || this.busy) return
    const { key } = this.notice ?? {}
    const name = key && fieldsAtFault[key]
    const value = name && this.#read()[name]
    // The page may have been loaded again after the confirmation: an empty field is not wrong.
    this.#rejected = value ? { key, name, value } : undefined
  }

  protected override firstUpdated(): void {
    if (this.takesFocus && hasKeyboard()) this.#input('number')?.focus()
  }

  protected override render(): TemplateResult {
    const brand = brandOf(this.#read().number)
    const { busy, language, notice } = this
    const words = texts[language]
    const busyLabel = notice?.key === 'unknown' ? words.checking : words.paying
    return html`
      <form
        class="card stack"
        novalidate
        aria-busy=${busy}
        @submit=${this.#submit}
        @pointerdown=${this.#press}
      >
        ${this.#field({
          name: 'number',
          label: words.cardNumber,
          // Of the label's name, only the brand of the number is a part.
          aside: html`<span class="brands" aria-hidden=${!brand}>${brands.map((each) =>
            brandIcon(each, brand && brand !== each),
          )}</span>`,
          autocomplete: 'cc-number',
          placeholder: '1234 1234 1234 1234',
        })}
        <div class="pair columns">
          ${this.#field({
            name: 'expiry',
            label: words.expiryDate,
            autocomplete: 'cc-exp',
            placeholder: words.expiryHint,
          })}
          ${this.#field({
            name: 'cvc',
            label: words.securityCode,
            autocomplete: 'cc-csc',
            placeholder: '•'.repeat(brand?.codeSize ?? 3),
          })}
        </div>
        ${this.#field({
          name: 'name',
          label: words.nameOnCard,
          autocomplete: 'cc-name',
          aside: html`<span class="hint">${words.optional}</span>`,
        })}
        <p class="notice" id="card-notice" role="alert" tabindex="-1" data-tone=${toneOf(notice)}>${
          notice ? html`${warningIcon}<span>${notice.text}</span>` : nothing
        }</p>
        <button
          class="primary pay"
          type="submit"
          aria-disabled=${busy}
        >${busy ? spinner : nothing}<span>${busy ? busyLabel : this.payLabel}</span></button>
        ${this.#below(words)}
      </form>
      ${this.sandbox ? sandboxPanel(words, this.#pick) : nothing}
    `
  }

  /** Nothing can be canceled while a request runs. A notice says more than the usual time. */
  #below({ payingText, orderShows, cancelPayment }: Texts): TemplateResult {
    if (!this.busy) {
      return html`<button class="link" type="button" @click=${() => this.onCancel()}>${cancelPayment}</button>`
    }
    const more = this.notice?.key === 'unknown' ? orderShows : ''
    return html`<p class="link">${this.notice ? more : payingText}</p>`
  }

  #field(options: FieldOptions): TemplateResult {
    const { name, label, aside, autocomplete, placeholder } = options
    const error = this.errors[name]
    const isRejected = !error && this.#isRejected(name)
    const numeric = name !== 'name'
    const text =
      error && fill(texts[this.language][error], { digits: String(codeSize(this.#read().number)) })
    return html`
      <div class="field" data-field=${name}>
        <label class="row between" for=${`card-${name}`}>
          <span>${label}</span>
          ${aside}
        </label>
        <input
          id=${`card-${name}`}
          name=${autocomplete}
          type="text"
          inputmode=${numeric ? 'numeric' : 'text'}
          autocomplete=${autocomplete}
          enterkeyhint="go"
          autocapitalize=${numeric ? nothing : 'words'}
          autocorrect="off"
          spellcheck="false"
          placeholder=${placeholder ?? nothing}
          ?readonly=${this.busy}
          aria-invalid=${error || isRejected ? 'true' : 'false'}
          aria-describedby=${error ? `card-${name}-error` : isRejected ? 'card-notice' : nothing}
          maxlength=${numeric ? nothing : '128'}
          @input=${(event: Event) => this.#type(name, event)}
          @change=${(event: Event) => this.#type(name, event)}
          @blur=${() => void this.#leave(name)}
        />
        ${error ? html`<p class="error" id=${`card-${name}-error`}>${text}</p>` : nothing}
      </div>
    `
  }

  #type(name: FieldName, event: Event): void {
    // The listener is on the input itself.
    const input = event.target as HTMLInputElement
    const typed = input.value
    const caret = input.selectionStart ?? typed.length
    const value = this.#format(name, typed)
    if (value !== typed) {
      // Spaces may come and go, so the caret stays behind the same digit.
      const digits = digitsOf(typed.slice(0, caret)).length
      const ends = [0, ...[...value.matchAll(/\d/g)].map((match) => match.index + 1)]
      const position = (caret < typed.length ? ends[digits] : undefined) ?? value.length
      input.value = value
      if (document.activeElement === input) input.setSelectionRange(position, position)
    }
    this.#before = { ...this.#before, [name]: value }
    // A shown error follows the typing; a new one waits until the buyer leaves the field.
    if (this.errors[name]) this.#setError(name, this.#validate()[name])
    this.requestUpdate()
  }

  /** The name is not changed. */
  #format(name: FieldName, typed: string): string {
    switch (name) {
      case 'number':
        return groupNumber(typed)
      case 'expiry':
        return formatExpiry(typed, this.#before.expiry)
      case 'cvc':
        return formatCvc(typed, brandOf(this.#read().number))
      default:
        return typed
    }
  }

  /** An error moves what is below it, and a button that moves under a pressed pointer gets no click. */
  readonly #press = (): void => {
    this.#pressed = new Promise((resolve) => {
      for (const end of ['pointerup', 'pointercancel']) {
        window.addEventListener(end, () => setTimeout(resolve), { once: true })
      }
    })
  }

  async #leave(name: FieldName): Promise<void> {
    await this.#pressed
    if (this.#read()[name] !== '') this.#setError(name, this.#validate()[name])
  }

  /** Whether the notice is about the value that a field has. */
  #isRejected(name: FieldName): boolean {
    const { key, name: rejected, value } = this.#rejected ?? {}
    return name === rejected && key === this.notice?.key && value === this.#read()[name]
  }

  /** Reads the inputs, which browsers may fill without an event. */
  #read(): CardFields {
    const value = (name: FieldName): string => this.#input(name)?.value ?? ''
    return {
      number: groupNumber(value('number')),
      expiry: formatExpiry(value('expiry')),
      cvc: value('cvc').trim(),
      name: value('name'),
    }
  }

  #validate(): FieldErrors {
    return validate(this.#read(), serverNow())
  }

  #setError(name: FieldName, error: FieldErrors[FieldName]): void {
    this.errors = { ...this.errors, [name]: error }
  }

  readonly #submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    if (this.busy) return
    this.errors = this.#validate()
    const invalid = fieldNames.find((name) => this.errors[name])
    if (invalid) {
      await this.updateComplete
      this.#input(invalid)?.focus()
      return
    }
    this.onPay(readCard(this.#read()))
  }

  readonly #pick = (number: string): void => {
    const year = String(new Date(serverNow()).getUTCFullYear() + 4).slice(-2)
    const cvc = '1234'.slice(0, codeSize(number))
    this.#before = { number: groupNumber(number), expiry: `12 / ${year}`, cvc, name: 'Ani Test' }
    for (const name of fieldNames) {
      const input = this.#input(name)
      if (input) input.value = this.#before[name]
    }
    this.errors = {}
    this.payButton?.focus()
  }

  #input(name: FieldName): HTMLInputElement | null {
    return this.querySelector(`#card-${name}`)
  }
}

/** Returns whether the keyboard is separate from the screen, as on a device with a mouse. */
function hasKeyboard(): boolean {
  return matchMedia('(hover: hover)').matches
}

/** The service's time, in milliseconds since 1970. The buyer's clock may be wrong. */
function serverNow(): number {
  const written = Date.parse(document.documentElement.dataset.now ?? '')
  return Number.isNaN(written) ? Date.now() : written + performance.now()
}

/** Fields that the buyer corrects after a rejection. */
const fieldsAtFault: Readonly<Partial<Record<keyof Texts, FieldName>>> = {
  numberNotTest: 'number',
  declined: 'number',
  insufficientFunds: 'number',
  expiryPast: 'expiry',
  incorrectCvc: 'cvc',
}

const fieldNames = ['number', 'expiry', 'cvc', 'name'] as const

interface FieldOptions {
  readonly name: FieldName
  readonly label: string
  /** Shown behind the label: the brands, or that the field may stay empty. */
  readonly aside?: TemplateResult
  readonly autocomplete: 'cc-number' | 'cc-exp' | 'cc-csc' | 'cc-name'
  readonly placeholder?: string
}
