/** The hosted page: merchant, amount, and order, then the current step. @module */
import { formatMoney } from '@pi-checkout/contract/money'
import { html, nothing, type TemplateResult } from 'lit'
import type { CardDetails, CheckoutView } from '../../shared/checkout-api.ts'
import { type Language, languageOf } from '../../shared/language.ts'
import { LightElement } from '../light-element.ts'
import { brandOfType } from './card-fields.ts'
import { type CardForm, type FormNotice, toneOf } from './card-form.ts'
import type { IssuerMessage } from './challenge-frame.ts'
import { type FullPageLink, fullPage } from './full-page.ts'
import { brandIcon, resultIcon, spinner } from './icons.ts'
import type { PageSession } from './page-session.ts'
import {
  type BankStep,
  isBusy,
  isFramed,
  isRedirect,
  noticeOf,
  resultOf,
  type Step,
} from './page-state.ts'
import { PaymentController } from './payment-controller.ts'
import { failureKey, fill, sentencesOf, type Texts, texts } from './texts.ts'

export class HostedPage extends LightElement {
  readonly #session: PageSession
  readonly #payment: PaymentController

  constructor(session: PageSession) {
    super()
    this.#session = session
    this.#payment = new PaymentController(this, session)
  }

  protected override render(): unknown {
    const { step } = this.#payment
    const { view } = step
    if (!view) return this.#session.hasFailed ? this.#unavailable() : nothing
    document.documentElement.lang = this.#language
    const isShort = step.name !== 'card' && !isFramed(step)
    // The result has a button.
    const wayBack = step.name === 'result' ? undefined : fullPage
    return html`
      ${wayBack && html`<nav class="back">${this.#back(wayBack)}</nav>`}
      <main class="page stack ${isShort ? 'centered' : ''}">
        ${this.#summary(view)}
        <section class="step stack">${this.#card(view)}${this.#step(view)}</section>
      </main>
    `
  }

  protected override willUpdate(): void {
    this.#hasFocus = document.hasFocus()
  }

  /** Moves the focus to a new step, result, or rejection, but only if the buyer was already inside. */
  protected override updated(): void {
    const { step } = this.#payment
    const before = this.#shown ?? step
    this.#shown = step
    if (!this.#hasFocus) return
    const hasChanged = before.name !== step.name || isFramed(before) !== isFramed(step)
    if (step.name === 'card') {
      const hasEnded = isBusy(before) && !isBusy(step)
      if (hasChanged || hasEnded) void this.querySelector<CardForm>('card-form')?.focusNotice()
    } else if (hasChanged) {
      this.querySelector<HTMLElement>('.step .title')?.focus({ preventScroll: true })
    }
  }

  /** The step that the latest update has shown. */
  #shown: Step | undefined
  /** Before this update, since a challenge that is removed loses the focus. */
  #hasFocus = false

  get #language(): Language {
    return languageOf(this.#session.locale)
  }

  get #texts(): Texts {
    return texts[this.#language]
  }

  /** The element removes this page, another parent may not. */
  #unavailable(): TemplateResult {
    document.documentElement.lang = this.#language
    return html`
      <main class="apart stack">
        <p role="alert">${this.#texts.unavailable}</p>
        ${fullPage && html`<p>${this.#back(fullPage)}</p>`}
      </main>
    `
  }

  #back({ returnUrl }: FullPageLink): TemplateResult {
    return html`<a href=${returnUrl}><span aria-hidden="true">←</span> ${this.#texts.back}</a>`
  }

  #summary(view: CheckoutView): TemplateResult {
    const [before, after] = this.#texts.order.split('{order}')
    return html`
      <header class="summary">
        <span class="monogram" aria-hidden="true">${[...view.merchantName.trim()][0]}</span>
        <div class="merchant">
          <h1><bdi>${view.merchantName}</bdi></h1>
          <p class="hint" data-testid="order">${before}<bdi>${view.orderId}</bdi>${after}</p>
        </div>
        <p class="amount" data-testid="amount">${this.#money(view)}</p>
      </header>
    `
  }

  #step(view: CheckoutView): TemplateResult | undefined {
    const { step } = this.#payment
    switch (step.name) {
      case 'bank':
        return this.#bank(step)
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
    const { step } = this.#payment
    if (step.name === 'result') return nothing
    const amount = this.#money(view)
    return html`
      <card-form
        ?hidden=${step.name !== 'card'}
        .language=${this.#language}
        .payLabel=${fill(this.#texts.pay, { amount })}
        .notice=${step.name === 'card' ? this.#notice(view) : undefined}
        .busy=${isBusy(step)}
        .sandbox=${view.environment === 'test'}
        .takesFocus=${fullPage !== undefined}
        .onPay=${(card: CardDetails) => this.#payment.pay(card)}
        .onCancel=${() => this.#payment.send({ path: 'cancel' })}
      ></card-form>
    `
  }

  /** The bank's page in a frame, or behind a button. Another card leads back to the form. */
  #bank(step: BankStep): TemplateResult {
    const { verify, verifyText, resume, toBankText, toBank, anotherCard } = this.#texts
    const isPage = isRedirect(step)
    const busy = isPage && isBusy(step)
    const notice = this.#notice(step.view)
    return html`
      ${
        isFramed(step)
          ? this.#frame(step)
          : html`
            <h2 class="title" tabindex="-1">${verify}</h2>
            <p class="hint">${isPage ? toBankText : verifyText}</p>
          `
      }
      <p class="notice" role="alert" data-tone=${toneOf(notice)}>${notice?.text}</p>
      ${
        isFramed(step)
          ? nothing
          : html`<button
            class="primary pay"
            type="button"
            aria-disabled=${busy}
            @click=${() => this.#payment.open()}
          >${busy ? spinner : nothing}<span>${isPage ? toBank : resume}</span></button>`
      }
      <button class="link" type="button" @click=${() => this.#payment.send({ path: 'challenge/cancel' })}>
        ${anotherCard}
      </button>
    `
  }

  /** The bank's page has a heading. */
  #frame({ page }: BankStep): TemplateResult {
    return html`<challenge-frame
      .ticket=${typeof page === 'object' ? page : undefined}
      .locale=${this.#session.locale}
      .label=${this.#texts.verify}
      .onMessage=${(message: IssuerMessage) => this.#payment.onIssuerMessage(message)}
    ></challenge-frame>`
  }

  #processing(): TemplateResult {
    const { payingTitle, payingText } = this.#texts
    return html`
      <div class="settled" role="status">
        <span class="badge" data-tone="quiet" aria-hidden="true">${spinner}</span>
        <h2 class="title" tabindex="-1">${payingTitle}</h2>
        <p class="hint">${payingText}</p>
      </div>
    `
  }

  #result(view: CheckoutView): TemplateResult {
    const result = resultOf(view)
    const { shop } = this.#session
    const text = this.#texts[resultTexts[result]]
    const isUnpaid = resultTexts[result] === 'notCharged'
    const values = { amount: this.#money(view), merchant: view.merchantName }
    // What to do next is another thing than after a decline that leaves the form open.
    const [reason = ''] = result === 'failed' ? sentencesOf(this.#failure(view)?.text ?? '') : []
    return html`
      <div class="settled">
        <span class="badge" data-tone=${tones[result] ?? 'quiet'} aria-hidden="true">${resultIcon(result)}</span>
        <h2 class="title" tabindex="-1" data-testid="result" data-state=${result}>
          ${this.#texts[`${result}Title`]}
        </h2>
        <p class="hint" role="status">
          ${lines(`${reason} ${fill(text, values)}`)}
        </p>
        ${result === 'paid' ? this.#method(view) : nothing}
        <p class="hint" role="status">
          ${shop ? lines(this.#texts[`${shop}Shop${isUnpaid ? 'Other' : 'Paid'}`]) : nothing}
        </p>
        ${
          fullPage &&
          html`<a class="primary pay" href=${fullPage.returnUrl}>${this.#texts.back}</a>`
        }
      </div>
    `
  }

  #method({ paymentMethod }: CheckoutView): unknown {
    if (!paymentMethod) return nothing
    const { brand, last4 } = paymentMethod.card
    const known = brandOfType(brand)
    return html`<p class="method row">${known && brandIcon(known)}<span>•••• ${last4}</span></p>`
  }

  #notice(view: CheckoutView): FormNotice | undefined {
    const notice = noticeOf(this.#payment.step)
    if (notice === 'failure') return this.#failure(view)
    return notice && { key: notice, text: this.#texts[notice] }
  }

  #failure({ lastPaymentFailure: failure }: CheckoutView): FormNotice | undefined {
    if (!failure) return undefined
    const key = failureKey(failure)
    return { key, text: key ? this.#texts[key] : failure.message }
  }

  #money({ amount, currency }: CheckoutView): string {
    return formatMoney(amount, currency, this.#session.locale)
  }
}

/** Lines break between sentences first. */
function lines(text: string): readonly TemplateResult[] {
  return sentencesOf(text).map((sentence) => html`<span>${sentence}</span> `)
}

const resultTexts = {
  paid: 'paidText',
  failed: 'notCharged',
  canceled: 'notCharged',
  expired: 'notCharged',
  processing: 'processingText',
} as const

/** Colors of the results. */
const tones: Readonly<Record<string, string>> = { paid: 'good', failed: 'bad' }
