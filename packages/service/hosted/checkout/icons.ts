/** The page's icons as templates: its Content Security Policy allows no inline images. @module */
import { html, nothing, svg, type TemplateResult } from 'lit'
import type { Brand } from './card-fields.ts'

/** The brand's logo, or a plain card while the brand is unknown. */
export function brandIcon(brand: Brand | undefined): TemplateResult {
  return html`<svg
    viewBox="0 0 34 22"
    font-family="Arial, Helvetica, sans-serif"
    font-weight="700"
    text-anchor="middle"
    role="img"
    aria-hidden=${brand ? 'false' : 'true'}
    aria-label=${brand?.name ?? nothing}
  >${brand ? brandDrawings[brand.type] : plainCard}</svg>`
}

const outline = svg`<rect fill="none" stroke="var(--line-strong)" x=".5" y=".5" width="33" height="21" rx="3.5"></rect>`

const plainCard = svg`${outline}
  <rect fill="var(--line-strong)" x="1" y="5" width="32" height="4"></rect>
  <rect fill="var(--line-strong)" x="5" y="14" width="9" height="2.5" rx="1"></rect>`

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

/** Position of the security code on a card. */
export const codeIcon = html`<svg viewBox="0 0 34 22" aria-hidden="true">
  ${outline}
  <rect fill="var(--line-strong)" x="1" y="4" width="32" height="4"></rect>
  <rect fill="var(--surface)" stroke="var(--muted)" x="17.5" y="11.5" width="13" height="7" rx="3.5"></rect>
  ${[21, 24, 27].map((x) => svg`<circle fill="var(--muted)" cx=${x} cy="15" r="1"></circle>`)}
</svg>`

export const warningIcon = html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
  <path
    fill="currentColor"
    d="M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1zm0 9.4a.95.95 0 1 0 0 1.9.95.95 0 0 0 0-1.9zM8 3.9a.8.8 0 0 0-.8.86l.28 3.9a.52.52 0 0 0 1.04 0l.28-3.9A.8.8 0 0 0 8 3.9z"
  ></path>
</svg>`

export const chevron = html`<svg class="icon chevron stroked" viewBox="0 0 16 16" aria-hidden="true">
  <path d="M4.5 6.5 8 10l3.5-3.5" stroke-width="1.6"></path>
</svg>`

export const spinner = html`<svg class="spinner stroked" viewBox="0 0 24 24" aria-hidden="true">
  <circle opacity="0.25" cx="12" cy="12" r="9"></circle>
  <path d="M12 3a9 9 0 0 1 9 9"></path>
</svg>`

/** A check mark, cross, or clock, shown next to the heading of a result. */
export function resultIcon(result: string): TemplateResult {
  return html`<svg class="stroked" width="2.25rem" viewBox="0 0 24 24" aria-hidden="true">
    <path d=${resultPaths[result] ?? cross} pathLength="1"></path>
  </svg>`
}

const cross = 'M8 8l8 8M16 8l-8 8'
const clock = 'M12 7v5l3.5 2'
const resultPaths: Readonly<Record<string, string>> = {
  paid: 'M7 12.5l3.4 3.4L17 9',
  processing: clock,
  expired: clock,
}
