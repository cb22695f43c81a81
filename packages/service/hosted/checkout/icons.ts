/** The page's icons as templates: its Content Security Policy allows no inline images. @module */
import { html, svg, type TemplateResult } from 'lit'
import type { Brand } from './card-fields.ts'

/** @param isOther - Whether the typed number is of another brand. */
export function brandIcon(brand: Brand, isOther = false): TemplateResult {
  return html`<svg
    viewBox="0 0 34 22"
    font-family="Arial, Helvetica, sans-serif"
    font-weight="700"
    text-anchor="middle"
    role="img"
    aria-label=${brand.name}
    aria-hidden=${isOther}
    opacity=${isOther ? 0.25 : 1}
  >${brandDrawings[brand.type]}</svg>`
}

const whiteCard = svg`<rect fill="#fff" stroke="#d9dde4" x=".5" y=".5" width="33" height="21" rx="3.5"></rect>`

const brandDrawings: Readonly<Record<Brand['type'], TemplateResult>> = {
  visa: svg`${whiteCard}
    <text fill="#1434cb" font-size="11" font-style="italic" x="17" y="15.2">VISA</text>`,
  mastercard: svg`${whiteCard}
    <circle cx="13.4" cy="11" r="6" fill="#eb001b"></circle>
    <circle cx="20.6" cy="11" r="6" fill="#f79e1b"></circle>
    <path d="M17 6.2a6 6 0 0 1 0 9.6 6 6 0 0 1 0-9.6z" fill="#ff5f00"></path>`,
  amex: coloredCard('AMEX', '#016fd0', 14.2),
  mir: svg`${whiteCard}
    <text fill="#0f754e" font-size="10.5" x="17" y="15">МИР</text>`,
  arca: coloredCard('ArCa', '#0a3d62', 14.6),
}

function coloredCard(name: string, color: string, baseline: number): TemplateResult {
  return svg`<rect x="0" y="0" width="34" height="22" rx="4" fill=${color}></rect>
    <text font-size="9" fill="#fff" x="17" y=${baseline}>${name}</text>`
}

export const warningIcon = html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
  <path
    fill="currentColor"
    d="M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1zm0 9.4a.95.95 0 1 0 0 1.9.95.95 0 0 0 0-1.9zM8 3.9a.8.8 0 0 0-.8.86l.28 3.9a.52.52 0 0 0 1.04 0l.28-3.9A.8.8 0 0 0 8 3.9z"
  ></path>
</svg>`

export const spinner = html`<svg class="spinner stroked" viewBox="0 0 24 24" aria-hidden="true">
  <circle opacity="0.25" cx="12" cy="12" r="9"></circle>
  <path d="M12 3a9 9 0 0 1 9 9"></path>
</svg>`

/** A check mark, cross, or clock, shown next to the heading of a result. */
export function resultIcon(result: string): TemplateResult {
  return html`<svg class="stroked" width="2.25rem" viewBox="0 0 24 24" aria-hidden="true">
    <path d=${resultPaths[result] ?? cross}></path>
  </svg>`
}

const cross = 'M8 8l8 8M16 8l-8 8'
const clock = 'M12 3.5a8.5 8.5 0 1 1 0 17a8.5 8.5 0 0 1 0-17zM12 7.5V12l3 1.75'
const resultPaths: Readonly<Record<string, string>> = {
  paid: 'M7 12.5l3.4 3.4L17 9',
  processing: clock,
  expired: clock,
}
