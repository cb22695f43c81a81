/** Test cards for developers, in test environments only: each button fills in a card. @module */
import { type TestCardName, testCards } from '@pi-checkout/contract/sandbox'
import { html, type TemplateResult } from 'lit'
import type { Texts } from './texts.ts'

/**
 * Buyers read in their language that this is a test. Developers read the list in English.
 *
 * @param onPick - Called with the number of the chosen test card.
 */
export function sandboxPanel(
  { sandbox, testCards: heading }: Texts,
  onPick: (number: string) => void,
): TemplateResult {
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
        <span class="more">${heading} <span aria-hidden="true">▾</span></span>
      </summary>
      <div lang="en">
        <p class="hint">Fills in the card fields. Press Pay afterwards.</p>
        ${groups.map(
          ([heading, cards]) => html`<h2>${heading}</h2>
            <ul class="columns">${cards.map(([name, label]) => card(name, label))}</ul>`,
        )}
      </div>
    </details>
  `
}

/** The test cards by what happens to the payment. */
const groups: readonly (readonly [string, readonly (readonly [TestCardName, string])[]])[] = [
  [
    'Pays',
    [
      ['visa', 'Visa'],
      ['mastercard', 'Mastercard'],
      ['amex', 'American Express'],
      ['mir', 'Mir'],
      ['arca', 'ArCa'],
    ],
  ],
  [
    'Is declined',
    [
      ['declined', 'Declined'],
      ['insufficient-funds', 'Not enough money'],
      ['lost', 'Lost card'],
      ['stolen', 'Stolen card (final)'],
      ['expired', 'Expired card'],
      ['wrong-cvc', 'Wrong security code'],
      ['processing-error', 'Processing error'],
    ],
  ],
  [
    'Asks the bank first',
    [
      ['challenge', 'Paid'],
      ['redirect', 'On the bank’s page, paid'],
      ['challenge-declined', 'Declined'],
      ['challenge-insufficient-funds', 'Not enough money'],
      ['challenge-unavailable', 'Bank unavailable'],
    ],
  ],
  [
    'Takes longer',
    [
      ['slow', 'Paid after 5 seconds'],
      ['pending', 'Pending until settled'],
    ],
  ],
]
