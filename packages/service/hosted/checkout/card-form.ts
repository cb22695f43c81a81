/**
 * The card form: four fields that help, one button, one place for messages.
 *
 * @module
 */
import { html, LitElement, nothing, type TemplateResult } from 'lit'
import { property, query, state } from 'lit/decorators.js'
import type { CardDetails } from '../../shared/checkout-api.ts'
import type { Language } from '../../shared/language.ts'
import {
  brandOf,
  type CardFields,
  codeSize,
  type Faults,
  type FieldName,
  faultsOf,
  formatCvc,
  formatExpiry,
  groupNumber,
  isWholeNumber,
  readCard,
  toAscii,
} from './card-fields.ts'
import { brandIcon, codeIcon, spinner, warningIcon } from './icons.ts'
import type { CardPick } from './sandbox-panel.ts'
import { serverNow } from './server-now.ts'
import { fill, type Texts, texts } from './texts.ts'

/** The buyer pressed Pay with a card that looks right. */
export class CardSubmit extends Event {
  readonly card: CardDetails
  constructor(card: CardDetails) {
    super('card-submit')
    this.card = card
  }
}

/**
 * @fires {CardSubmit} card-submit - Pay was pressed with a card that looks right.
 * @fires card-cancel - The buyer wants to leave.
 */
export class CardForm extends LitElement {
  @property({ attribute: false }) texts: Texts = texts.en
  @property({ attribute: false }) language: Language = 'en'
  @property({ attribute: false }) payLabel = ''
  @property({ attribute: false }) notice: string | undefined
  @property({ attribute: false }) busy = false
  @property({ attribute: false }) sandbox = false
  @state() private faults: Faults = {}
  @query('.pay') private readonly payButton!: HTMLButtonElement | null
  @query('.notice:not(:empty)') private readonly shownNotice!: HTMLElement | null
  /** What stood in each field after the latest event. The inputs themselves hold the values. */
  #before: CardFields = { number: '', expiry: '', cvc: '', name: '' }

  /** Moves the focus to the message, if one is shown. */
  async focusNotice(): Promise<void> {
    await this.updateComplete
    this.shownNotice?.focus({ preventScroll: true })
  }

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  protected override render(): TemplateResult {
    const brand = brandOf(this.#read().number)
    const { texts, busy, notice } = this
    return html`
      <form class="card" novalidate @submit=${this.#submit} aria-busy=${busy}>
        ${this.#field({
          name: 'number',
          label: texts.cardNumber,
          autocomplete: 'cc-number',
          placeholder: '1234 1234 1234 1234',
          adornment: brandIcon(brand),
        })}
        <div class="pair">
          ${this.#field({
            name: 'expiry',
            label: texts.expiryDate,
            autocomplete: 'cc-exp',
            placeholder: texts.expiryHint,
          })}
          ${this.#field({
            name: 'cvc',
            label: texts.securityCode,
            autocomplete: 'cc-csc',
            placeholder: '•'.repeat(brand?.codeSize ?? 3),
            adornment: codeIcon,
          })}
        </div>
        ${this.#field({ name: 'name', label: texts.nameOnCard, autocomplete: 'cc-name' })}
        <p class="notice" role="alert" tabindex="-1">${
          notice ? html`${warningIcon}<span .textContent=${notice}></span>` : nothing
        }</p>
        <button
          class="pay"
          type="submit"
          aria-disabled=${busy}
        >${busy ? spinner : nothing}<span
          .textContent=${busy ? texts.paying : this.payLabel}
        ></span></button>
        <button
          class="link"
          type="button"
          aria-disabled=${busy}
          .textContent=${texts.cancelPayment}
          @click=${this.#cancel}
        ></button>
      </form>
      ${
        this.sandbox
          ? html`<sandbox-panel
              .texts=${texts}
              .language=${this.language}
              @card-pick=${this.#pick}
            ></sandbox-panel>`
          : nothing
      }
    `
  }

  #field({ name, label, autocomplete, placeholder, adornment }: FieldOptions): TemplateResult {
    const fault = this.faults[name]
    const numeric = name !== 'name'
    const text = fault && fill(this.texts[fault], { digits: String(codeSize(this.#read().number)) })
    return html`
      <div class="field" data-field=${name}>
        <label for=${`card-${name}`} .textContent=${label}></label>
        <div class="box">
          <input
            id=${`card-${name}`}
            name=${autocomplete}
            type="text"
            inputmode=${numeric ? 'numeric' : 'text'}
            autocomplete=${autocomplete}
            autocapitalize=${numeric ? nothing : 'words'}
            autocorrect="off"
            spellcheck="false"
            placeholder=${placeholder ?? nothing}
            ?readonly=${this.busy}
            aria-invalid=${fault ? 'true' : 'false'}
            aria-describedby=${fault ? `card-${name}-fault` : nothing}
            maxlength=${numeric ? nothing : '128'}
            @input=${(event: Event) => this.#type(name, event)}
            @change=${(event: Event) => this.#type(name, event)}
            @blur=${() => this.#judge(name)}
          />
          ${adornment ? html`<span class="adornment">${adornment}</span>` : nothing}
        </div>
        ${fault ? html`<p class="fault" id=${`card-${name}-fault`} .textContent=${text}></p>` : nothing}
      </div>
    `
  }

  #type(name: FieldName, event: Event): void {
    // The listener sits on our own input.
    const input = event.target as HTMLInputElement
    const before = this.#before[name]
    const typed = input.value
    const caret = input.selectionStart ?? typed.length
    const value = this.#format(name, typed)
    if (value !== typed) {
      const place = caretAfter({ typed, caret, value })
      input.value = value
      if (document.activeElement === input) input.setSelectionRange(place, place)
    }
    this.#before = { ...this.#before, [name]: value }
    // A fault that is shown follows the typing; a new one waits until the buyer leaves the field.
    if (this.faults[name]) this.#setFault(name, this.#faults()[name])
    this.requestUpdate()
    if (document.activeElement !== input) return
    const growing = value.length > before.length && input.selectionStart === value.length
    if (growing && this.#isFull(name)) this.#input(name === 'number' ? 'expiry' : 'cvc')?.focus()
  }

  /** The name stays as it is typed: nothing in it is to be grouped or dropped. */
  #format(name: FieldName, typed: string): string {
    switch (name) {
      case 'number':
        return groupNumber(typed, this.#before.number)
      case 'expiry':
        return formatExpiry(typed, this.#before.expiry)
      case 'cvc':
        return formatCvc(typed, brandOf(this.#read().number))
      default:
        return typed
    }
  }

  #isFull(name: FieldName): boolean {
    const { number, expiry } = this.#read()
    if (name === 'number') return isWholeNumber(number)
    return name === 'expiry' && expiry.length === 7 && !this.#faults().expiry
  }

  #judge(name: FieldName): void {
    if (this.#read()[name] === '') return
    this.#setFault(name, this.#faults()[name])
  }

  /** What stands in the form, whether or not an event told of it. */
  #read(): CardFields {
    const value = (name: FieldName): string => this.#input(name)?.value ?? ''
    return {
      number: groupNumber(value('number')),
      expiry: formatExpiry(value('expiry')),
      cvc: toAscii(value('cvc')).trim(),
      name: value('name'),
    }
  }

  #faults(): Faults {
    return faultsOf(this.#read(), serverNow())
  }

  #setFault(name: FieldName, fault: Faults[FieldName]): void {
    const { [name]: _, ...others } = this.faults
    this.faults = fault ? { ...others, [name]: fault } : others
  }

  readonly #submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    if (this.busy) return
    this.faults = this.#faults()
    const wrong = (['number', 'expiry', 'cvc', 'name'] as const).find((name) => this.faults[name])
    if (wrong) {
      await this.updateComplete
      this.#input(wrong)?.focus()
      return
    }
    this.dispatchEvent(new CardSubmit(readCard(this.#read())))
  }

  readonly #cancel = (): void => {
    if (!this.busy) this.dispatchEvent(new Event('card-cancel'))
  }

  readonly #pick = ({ number }: CardPick): void => {
    const year = String(new Date(serverNow()).getUTCFullYear() + 4).slice(-2)
    const cvc = '1234'.slice(0, codeSize(number))
    this.#before = { number: groupNumber(number), expiry: `12 / ${year}`, cvc, name: 'Ani Test' }
    for (const name of ['number', 'expiry', 'cvc', 'name'] as const) {
      const input = this.#input(name)
      if (input) input.value = this.#before[name]
    }
    this.faults = {}
    this.payButton?.focus()
  }

  #input(name: FieldName): HTMLInputElement | null {
    return this.querySelector(`#card-${name}`)
  }
}

interface FieldOptions {
  readonly name: FieldName
  readonly label: string
  readonly autocomplete: 'cc-number' | 'cc-exp' | 'cc-csc' | 'cc-name'
  readonly placeholder?: string
  readonly adornment?: unknown
}

/** Keeps the caret behind the same digit when spaces come and go around it. */
function caretAfter({
  typed,
  caret,
  value,
}: {
  readonly typed: string
  readonly caret: number
  readonly value: string
}): number {
  if (caret >= typed.length) return value.length
  const digits = toAscii(typed.slice(0, caret)).replace(/\D/g, '').length
  let seen = 0
  for (let at = 0; at < value.length; at++) {
    if (seen === digits) return at
    if (/\d/.test(value.charAt(at))) seen++
  }
  return value.length
}
