/** Test cards for developers, in test environments only: each button fills in a card. @module */
import { type TestCardName, testCards } from '@pi-checkout/contract/sandbox'
import { html, type TemplateResult } from 'lit'
import type { Language } from '../../shared/language.ts'
import { chevron } from './icons.ts'
import { texts } from './texts.ts'

/** @param onPick - Called with the number of the chosen test card. */
export function sandboxPanel(language: Language, onPick: (number: string) => void): TemplateResult {
  const { sandbox, testCards: title, testCardsHint } = texts[language]
  const at = column[language]
  const card = (name: TestCardName, label: string): TemplateResult => html`<li>
    <button type="button" data-testid=${`test-card-${name}`} @click=${() => onPick(testCards[name])}>
      <span>${label}</span>
      <span class="hint">•••• ${testCards[name].slice(-4)}</span>
    </button>
  </li>`
  return html`
    <details class="sandbox">
      <summary class="row between" data-testid="sandbox-toggle">
        <span class="note">${sandbox}</span>
        <span class="more">${title}${chevron}</span>
      </summary>
      <p class="hint">${testCardsHint}</p>
      ${groups.map(
        ([heading, cards]) => html`<h2>${heading[at]}</h2>
          <ul class="columns">${cards.map(([name, ...labels]) => card(name, labels[at] ?? labels[0]))}</ul>`,
      )}
    </details>
  `
}

const column = { en: 0, hy: 1, ru: 2 } as const

type Labels = readonly [en: string, hy?: string, ru?: string]

const declined: Labels = ['Declined', 'Մերժված', 'Отклонено']
const tooLittle: Labels = ['Not enough money', 'Գումարը չի բավականացնում', 'Недостаточно средств']

/** The test cards by what happens to the payment. A label is the same in each language, unless it has others. */
const groups: readonly (readonly [Labels, readonly (readonly [TestCardName, ...Labels])[]])[] = [
  [
    ['Pays', 'Վճարում է', 'Оплачивает'],
    [
      ['visa', 'Visa'],
      ['mastercard', 'Mastercard'],
      ['amex', 'American Express'],
      ['mir', 'Mir', 'Mir', 'Мир'],
      ['arca', 'ArCa'],
    ],
  ],
  [
    ['Is declined', 'Մերժվում է', 'Отклоняется'],
    [
      ['declined', ...declined],
      ['insufficient-funds', ...tooLittle],
      ['lost', 'Lost card', 'Կորած քարտ', 'Потерянная карта'],
      [
        'stolen',
        'Stolen card (final)',
        'Գողացված քարտ (վերջնական)',
        'Украденная карта (окончательно)',
      ],
      ['expired', 'Expired card', 'Ժամկետանց քարտ', 'Карта просрочена'],
      ['wrong-cvc', 'Wrong security code', 'Սխալ CVC կոդ', 'Неверный код CVC'],
      ['processing-error', 'Processing error', 'Մշակման սխալ', 'Ошибка обработки'],
    ],
  ],
  [
    ['Asks the bank first', 'Նախ հարցնում է բանկին', 'Сначала спрашивает банк'],
    [
      ['challenge', 'Paid', 'Վճարված', 'Оплачено'],
      [
        'redirect',
        'On the bank’s page, paid',
        'Բանկի էջում, վճարված',
        'На странице банка, оплачено',
      ],
      ['challenge-declined', ...declined],
      ['challenge-insufficient-funds', ...tooLittle],
      ['challenge-unavailable', 'Not available', 'Անհասանելի', 'Недоступно'],
    ],
  ],
  [
    ['Takes longer', 'Ավելի երկար է տևում', 'Занимает больше времени'],
    [
      ['slow', 'Paid after 5 seconds', 'Վճարված 5 վայրկյանից', 'Оплачено через 5 секунд'],
      ['pending', 'Pending until settled', 'Սպասում է լուծման', 'Ждёт решения'],
    ],
  ],
]
