/** Test cards for developers, in test environments only: each button fills in a card. @module */
import { type TestCardName, testCards } from '@pi-checkout/contract/sandbox'
import { html, type TemplateResult } from 'lit'
import type { Language } from '../../shared/language.ts'
import { chevron } from './icons.ts'
import { texts } from './texts.ts'

/** @param onPick - Called with the number of the chosen test card. */
export function sandboxPanel(language: Language, onPick: (number: string) => void): TemplateResult {
  const { sandbox, testCards: title, testCardsHint } = texts[language]
  // Object.keys loses the names of the record's type.
  const names = Object.keys(testCards) as TestCardName[]
  return html`
    <details class="sandbox">
      <summary class="row between" data-testid="sandbox-toggle">
        <span class="note">${sandbox}</span>
        <span class="more">${title}${chevron}</span>
      </summary>
      <p class="hint">${testCardsHint}</p>
      <ul class="columns">
        ${names.map(
          (name) => html`
            <li>
              <button type="button" data-testid=${`test-card-${name}`} @click=${() => onPick(testCards[name])}>
                <span>${labels[name][column[language]]}</span>
                <span class="hint">•••• ${testCards[name].slice(-4)}</span>
              </button>
            </li>
          `,
        )}
      </ul>
    </details>
  `
}

const column = { en: 0, hy: 1, ru: 2 } as const

const labels: Readonly<Record<TestCardName, readonly [en: string, hy: string, ru: string]>> = {
  visa: ['Paid · Visa', 'Վճարված · Visa', 'Оплачено · Visa'],
  mastercard: ['Paid · Mastercard', 'Վճարված · Mastercard', 'Оплачено · Mastercard'],
  amex: ['Paid · American Express', 'Վճարված · American Express', 'Оплачено · American Express'],
  mir: ['Paid · Mir', 'Վճարված · Mir', 'Оплачено · Мир'],
  arca: ['Paid · ArCa', 'Վճարված · ArCa', 'Оплачено · ArCa'],
  declined: ['Declined', 'Մերժված', 'Отклонено'],
  'insufficient-funds': ['Not enough money', 'Գումարը չի բավականացնում', 'Недостаточно средств'],
  lost: ['Lost card', 'Կորած քարտ', 'Потерянная карта'],
  stolen: ['Stolen card (final)', 'Գողացված քարտ (վերջնական)', 'Украденная карта (итог)'],
  expired: ['Expired card', 'Ժամկետանց քարտ', 'Карта просрочена'],
  'wrong-cvc': ['Wrong security code', 'Սխալ CVC կոդ', 'Неверный код CVC'],
  'processing-error': ['Processing error', 'Մշակման սխալ', 'Ошибка обработки'],
  challenge: ['Challenge, paid', 'Հաստատում, վճարված', 'Подтверждение, оплачено'],
  redirect: [
    'Challenge on the bank’s page, paid',
    'Հաստատում բանկի էջում, վճարված',
    'Подтверждение на странице банка, оплачено',
  ],
  'challenge-declined': ['Challenge, declined', 'Հաստատում, մերժված', 'Подтверждение, отклонено'],
  'challenge-insufficient-funds': [
    'Challenge, not enough money',
    'Հաստատում, գումարը չի բավականացնում',
    'Подтверждение, недостаточно средств',
  ],
  'challenge-unavailable': [
    'Challenge, not available',
    'Հաստատում, անհասանելի',
    'Подтверждение, недоступно',
  ],
  slow: ['Paid after 5 seconds', 'Վճարված 5 վայրկյանից', 'Оплачено через 5 секунд'],
  pending: ['Pending until settled', 'Սպասում է լուծման', 'Ждёт решения'],
}
