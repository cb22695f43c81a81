/**
 * Test cards for developers, in test environments only: each button fills in a card.
 *
 * @module
 */
import { testCards } from '@pi-checkout/contract/sandbox'
import { html, type TemplateResult } from 'lit'
import { property } from 'lit/decorators.js'
import type { Language } from '../../shared/language.ts'
import { LightElement } from '../light-element.ts'
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
export class SandboxPanel extends LightElement {
  @property({ attribute: false }) texts: Texts = texts.en
  @property({ attribute: false }) language: Language = 'en'

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
    const [, en, hy, ru] = labels.find(([card]) => card === name) ?? [name, name, name, name]
    return { en, hy, ru }[this.language]
  }
}

const labels: readonly (readonly [name: string, en: string, hy: string, ru: string])[] = [
  ['visa', 'Paid · Visa', 'Վճարված · Visa', 'Оплачено · Visa'],
  ['mastercard', 'Paid · Mastercard', 'Վճարված · Mastercard', 'Оплачено · Mastercard'],
  ['amex', 'Paid · American Express', 'Վճարված · American Express', 'Оплачено · American Express'],
  ['mir', 'Paid · Mir', 'Վճարված · Mir', 'Оплачено · Мир'],
  ['arca', 'Paid · ArCa', 'Վճարված · ArCa', 'Оплачено · ArCa'],
  ['declined', 'Declined', 'Մերժված', 'Отклонено'],
  ['insufficient-funds', 'Not enough money', 'Գումարը չի բավականացնում', 'Недостаточно средств'],
  ['lost', 'Lost card', 'Կորած քարտ', 'Потерянная карта'],
  ['stolen', 'Stolen card (final)', 'Գողացված քարտ (վերջնական)', 'Украденная карта (итог)'],
  ['expired', 'Expired card', 'Ժամկետանց քարտ', 'Карта просрочена'],
  ['wrong-cvc', 'Wrong security code', 'Սխալ անվտանգության կոդ', 'Неверный код безопасности'],
  ['processing-error', 'Processing error', 'Մշակման սխալ', 'Ошибка обработки'],
  ['challenge', 'Challenge, paid', 'Հաստատում, վճարված', 'Подтверждение, оплачено'],
  [
    'redirect',
    'Challenge on the bank’s page, paid',
    'Հաստատում բանկի էջում, վճարված',
    'Подтверждение на странице банка, оплачено',
  ],
  ['challenge-declined', 'Challenge, declined', 'Հաստատում, մերժված', 'Подтверждение, отклонено'],
  [
    'challenge-insufficient-funds',
    'Challenge, not enough money',
    'Հաստատում, գումարը չի բավականացնում',
    'Подтверждение, недостаточно средств',
  ],
  [
    'challenge-unavailable',
    'Challenge, not available',
    'Հաստատում, անհասանելի',
    'Подтверждение, недоступно',
  ],
  ['slow', 'Paid after 5 seconds', 'Վճարված 5 վայրկյանից', 'Оплачено через 5 секунд'],
  ['pending', 'Pending until settled', 'Սպասում է լուծման', 'Ждёт решения'],
]
