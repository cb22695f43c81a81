/** The hosted page: merchant, amount, and order, then the current step. @module */
import { formatMoney } from '@pi-checkout/contract/money'
import { html, nothing, type TemplateResult } from 'lit'
import type { CardDetails, CheckoutView } from '../../shared/checkout-api.ts'
import { type Language, languageOf } from '../../shared/language.ts'
import { LightElement } from '../light-element.ts'
import { brandOfType } from './card-fields.ts'
import type { CardForm, FormNotice } from './card-form.ts'
import type { IssuerMessage } from './challenge-frame.ts'
import { helpFor, isTestMode, report } from './help.ts'
import { brandIcon, resultIcon, spinner } from './icons.ts'
import type { PageSession } from './page-session.ts'
import { PaymentController } from './payment-controller.ts'
import { resultOf } from './screen.ts'
import { failureKey, fill, type Texts, texts } from './texts.ts'

export class HostedPage extends LightElement {
  readonly #payment: PaymentController

  constructor(session: PageSession) {
    super()
    this.#payment = new PaymentController(this, session)
  }

  protected override render(): unknown {
    if (window.parent === window) return this.#standalone()
    const { view, screen, failure } = this.#payment
    if (!view) return failure === undefined ? nothing : this.#unavailable(failure)
    document.documentElement.lang = this.#language
    const hasEnded = screen === 'processing' || screen === 'result'
    return html`
      <main class="page ${hasEnded ? 'finished' : ''}">
        ${this.#summary(view)}
        <section class="step">${this.#card(view)}${this.#step(view)}</section>
      </main>
    `
  }

  protected override willUpdate(): void {
    const { busy, screen, view } = this.#payment
    this.#hasFocus = document.hasFocus()
    this.#hasEnded = this.#busy && !busy
    this.#busy = busy
    if (this.#hasEnded && screen === 'card') this.#rejection = view && this.#notice(view)
  }

  /** Moves the focus to a new step, result, or rejection, but only if the buyer was already inside. */
  protected override updated(): void {
    const { screen, failure, help } = this.#payment
    const text = failure === undefined ? help : helpFor(failure)
    if (text) report('warn', text)
    const hasChanged = this.#screen !== undefined && this.#screen !== screen
    this.#screen = screen
    if (!this.#hasFocus) return
    if (screen === 'card') {
      const hasNotice = hasChanged || this.#hasEnded
      if (hasNotice) void this.querySelector<CardForm>('card-form')?.focusNotice()
    } else if (hasChanged) {
      this.querySelector<HTMLElement>('.step .title')?.focus({ preventScroll: true })
    }
  }

  #screen: string | undefined
  #busy = false
  /** An action has ended with this update. */
  #hasEnded = false
  /** The notice with which the latest action ended. */
  #rejection: FormNotice | undefined
  /** Before this update, since a challenge that is removed loses the focus. */
  #hasFocus = false

  get #language(): Language {
    return languageOf(this.#payment.locale)
  }

  get #texts(): Texts {
    return texts[this.#language]
  }

  /** Without an element around it, the page uses the browser's language. */
  #standalone(): TemplateResult {
    const language = languageOf(navigator.language)
    document.documentElement.lang = language
    return html`<p class="apart">${texts[language].standalone}</p>`
  }

  /** In place of the skeleton: the element removes this page, another parent may not. */
  #unavailable(failure: unknown): TemplateResult {
    document.documentElement.lang = this.#language
    return html`
      <p class="apart" role="alert">
        ${this.#texts.unavailable} ${this.#help(helpFor(failure))}
      </p>
    `
  }

  /** For the merchant's developer. */
  #help(text: string | undefined): TemplateResult | undefined {
    return text && isTestMode() ? html`<span class="help" lang="en">${text}</span>` : undefined
  }

  #summary(view: CheckoutView): TemplateResult {
    const [before, after] = this.#texts.order.split('{order}')
    return html`
      <header class="summary">
        <h1 class="merchant">
          <span class="monogram" aria-hidden="true">${[...view.merchantName.trim()][0]}</span>
          <bdi>${view.merchantName}</bdi>
        </h1>
        <p class="amount" data-testid="amount">${this.#money(view)}</p>
        <p class="order" data-testid="order">${before}<bdi>${view.orderId}</bdi>${after}</p>
      </header>
    `
  }

  #step(view: CheckoutView): TemplateResult | undefined {
    switch (this.#payment.screen) {
      case 'challenge':
        return this.#challenge()
      case 'confirm-here':
        return this.#confirmHere()
      case 'bank':
        return this.#bank()
      case 'processing':
        return this.#processing()
      case 'result':
        return this.#result(view)
      default:
        return undefined
    }
  }

  /** Stays in the page with the typed card while another step is shown, until the result. */
  #card(view: CheckoutView): unknown {
    const { screen } = this.#payment
    if (screen === 'result') return nothing
    const amount = this.#money(view)
    return html`
      <card-form
        ?hidden=${screen !== 'card'}
        .language=${this.#language}
        .payLabel=${fill(this.#texts.pay, { amount })}
        .notice=${screen === 'card' ? this.#notice(view) : undefined}
        .rejection=${this.#rejection}
        .busy=${this.#payment.busy}
        .sandbox=${view.environment === 'test'}
        .onPay=${(card: CardDetails) => void this.#payment.pay(card)}
        .onCancel=${() => void this.#payment.cancel()}
      ></card-form>
    `
  }

  #challenge(): TemplateResult {
    const { verifyText, verifyFrame } = this.#texts
    const { challenge, locale } = this.#payment
    const frame = html`<challenge-frame
      .ticket=${challenge.ticket}
      .locale=${locale}
      .label=${verifyFrame}
      .onMessage=${(message: IssuerMessage) => this.#payment.onIssuerMessage(message)}
    ></challenge-frame>`
    return this.#verification(verifyText, { frame })
  }

  /** The challenge is open in another window, or could not be opened in this one. */
  #confirmHere(): TemplateResult {
    const { elsewhere, interrupted, verifyText, confirmHere, tryAgain } = this.#texts
    const at = this.#payment.challenge.state?.at
    const hint = at === 'failed' ? verifyText : at === 'elsewhere' ? elsewhere : interrupted
    const button = html`
      <button class="primary pay" type="button" @click=${() => void this.#payment.confirmHere()}>
        <span>${at === 'failed' ? tryAgain : confirmHere}</span>
      </button>`
    return this.#verification(hint, { button })
  }

  #bank(): TemplateResult {
    const { toBankText, toBank } = this.#texts
    const { busy } = this.#payment
    const button = html`
      <button
        class="primary pay"
        type="button"
        aria-disabled=${busy}
        @click=${() => void this.#payment.goToBank()}
      >${busy ? spinner : nothing}<span>${toBank}</span></button>`
    return this.#verification(toBankText, { button })
  }

  /** A step in which the bank verifies the buyer. Another card leads back to the form. */
  #verification(
    hint: string,
    { frame, button }: { readonly frame?: unknown; readonly button?: unknown },
  ): TemplateResult {
    const { verify, anotherCard } = this.#texts
    const { view } = this.#payment
    return html`
      <h2 class="title" tabindex="-1">${verify}</h2>
      <p class="hint">${hint}</p>
      ${frame}
      <p class="notice" role="alert">${view && this.#notice(view)?.text}${this.#help(this.#payment.help)}</p>
      ${button}
      <button class="link" type="button" @click=${() => void this.#payment.useAnotherCard()}>
        ${anotherCard}
      </button>
    `
  }

  #processing(): TemplateResult {
    const { waitingTitle, waitingText } = this.#texts
    return html`
      <div class="settled" role="status">
        <span class="badge waiting" aria-hidden="true">${spinner}</span>
        <h2 class="title" tabindex="-1">${waitingTitle}</h2>
        <p class="hint">${waitingText}</p>
      </div>
    `
  }

  #result(view: CheckoutView): TemplateResult {
    const result = resultOf(view)
    const text = this.#texts[`${result}Text`]
    const values = { amount: this.#money(view), merchant: view.merchantName }
    const reason = result === 'failed' ? this.#failure(view)?.text : undefined
    return html`
      <div class="settled">
        <span class="badge ${result}" aria-hidden="true">${resultIcon(result)}</span>
        <h2 class="title" tabindex="-1" data-testid="result" data-state=${result}>
          ${this.#texts[`${result}Title`]}
        </h2>
        <p class="hint" role="status">
          ${reason} ${fill(text, values)}
        </p>
        ${result === 'paid' ? this.#method(view) : nothing}
      </div>
    `
  }

  #method({ paymentMethod }: CheckoutView): unknown {
    if (!paymentMethod) return nothing
    const { brand, last4 } = paymentMethod.card
    return html`<p class="method">${brandIcon(brandOfType(brand))}<span>•••• ${last4}</span></p>`
  }

  #notice(view: CheckoutView): FormNotice | undefined {
    const { notice } = this.#payment
    if (notice === 'failure') return this.#failure(view)
    return (
      notice && { key: notice, text: this.#texts[notice], help: this.#help(this.#payment.help) }
    )
  }

  #failure({ lastPaymentFailure: failure }: CheckoutView): FormNotice | undefined {
    if (!failure) return undefined
    const key = failureKey(failure)
    return { key, text: key ? this.#texts[key] : failure.message }
  }

  #money({ amount, currency }: CheckoutView): string {
    return formatMoney(amount, currency, this.#payment.locale)
  }
}
