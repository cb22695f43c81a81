/**
 * For developers, in test environments only: a card for each outcome, one press away.
 *
 * @module
 */
import { testCards } from '@pi-checkout/contract/sandbox'
import { html, LitElement, type TemplateResult } from 'lit'
import { property } from 'lit/decorators.js'
import type { Language } from '../../shared/language.ts'
import { chevron } from './icons.ts'
import { type Texts, texts } from './texts.ts'

/** A test card was chosen. */
export class CardPick extends Event {
  readonly number: string
  constructor(number: string) {
    super('card-pick', { bubbles: true })
    this.number = number
  }
}

/** @fires {CardPick} card-pick - A test card was chosen. */
export class SandboxPanel extends LitElement {
  @property({ attribute: false }) texts: Texts = texts.en
  @property({ attribute: false }) language: Language = 'en'

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  protected override render(): TemplateResult {
    const { sandbox, testCards: title, testCardsHint } = this.texts
    return html`
      <details class="sandbox" data-testid="sandbox-panel">
        <summary data-testid="sandbox-toggle">
          <span class="note">${sandbox}</span>
          <span class="more">${title}${chevron}</span>
        </summary>
        <p class="hint">${testCardsHint}</p>
        <ul>
          ${Object.entries(testCards).map(
            ([name, number]) => html`
              <li>
                <button
                  type="button"
                  data-testid=${`test-card-${name}`}
                  @click=${() => this.dispatchEvent(new CardPick(number))}
                >
                  <span>${this.#label(name)}</span>
                  <span class="digits">•••• ${number.slice(-4)}</span>
                </button>
              </li>
            `,
          )}
        </ul>
      </details>
    `
  }

  #label(name: string): string {
    return labels[this.language].get(name) ?? name
  }
}

const labels: Readonly<Record<Language, ReadonlyMap<string, string>>> = {
  en: new Map([
    ['visa', 'Paid · Visa'],
    ['mastercard', 'Paid · Mastercard'],
    ['amex', 'Paid · American Express'],
    ['mir', 'Paid · Mir'],
    ['arca', 'Paid · ArCa'],
    ['declined', 'Declined'],
    ['insufficient-funds', 'Not enough money'],
    ['lost', 'Lost card'],
    ['stolen', 'Stolen card (final)'],
    ['expired', 'Expired card'],
    ['wrong-cvc', 'Wrong security code'],
    ['processing-error', 'Processing error'],
    ['challenge', 'Bank asks, paid'],
    ['redirect', 'Bank’s own page, paid'],
    ['challenge-declined', 'Bank asks, declined'],
    ['challenge-insufficient-funds', 'Bank asks, not enough money'],
    ['challenge-unavailable', 'Bank asks, not available'],
    ['slow', 'Paid after 5 seconds'],
    ['pending', 'Pending until settled'],
  ]),
  hy: new Map([
    ['visa', 'Վճարված · Visa'],
    ['mastercard', 'Վճարված · Mastercard'],
    ['amex', 'Վճարված · American Express'],
    ['mir', 'Վճարված · Mir'],
    ['arca', 'Վճարված · ArCa'],
    ['declined', 'Մերժված'],
    ['insufficient-funds', 'Գումարը չի բավականացնում'],
    ['lost', 'Կորած քարտ'],
    ['stolen', 'Գողացված քարտ (վերջնական)'],
    ['expired', 'Ժամկետանց քարտ'],
    ['wrong-cvc', 'Սխալ անվտանգության կոդ'],
    ['processing-error', 'Մշակման սխալ'],
    ['challenge', 'Բանկը հարցնում է, վճարված'],
    ['redirect', 'Բանկի էջում, վճարված'],
    ['challenge-declined', 'Բանկը հարցնում է, մերժված'],
    ['challenge-insufficient-funds', 'Բանկը հարցնում է, գումարը քիչ է'],
    ['challenge-unavailable', 'Բանկը հարցնում է, անհասանելի'],
    ['slow', 'Վճարված 5 վայրկյանից'],
    ['pending', 'Սպասում է լուծման'],
  ]),
  ru: new Map([
    ['visa', 'Оплачено · Visa'],
    ['mastercard', 'Оплачено · Mastercard'],
    ['amex', 'Оплачено · American Express'],
    ['mir', 'Оплачено · Мир'],
    ['arca', 'Оплачено · ArCa'],
    ['declined', 'Отклонено'],
    ['insufficient-funds', 'Не хватает денег'],
    ['lost', 'Потерянная карта'],
    ['stolen', 'Украденная карта (итог)'],
    ['expired', 'Карта просрочена'],
    ['wrong-cvc', 'Неверный код безопасности'],
    ['processing-error', 'Ошибка обработки'],
    ['challenge', 'Банк спрашивает, оплачено'],
    ['redirect', 'Страница банка, оплачено'],
    ['challenge-declined', 'Банк спрашивает, отклонено'],
    ['challenge-insufficient-funds', 'Банк спрашивает, мало денег'],
    ['challenge-unavailable', 'Банк спрашивает, недоступно'],
    ['slow', 'Оплачено через 5 секунд'],
    ['pending', 'Ждёт решения'],
  ]),
}
