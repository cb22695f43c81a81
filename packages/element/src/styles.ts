/** Styles of the element: one box with one grid cell. Nothing overlaps the ready frame, and nothing moves. @module */
import { FIRST_VIEW } from '@pi-checkout/contract/frame-protocol'
import { unsafeCSS } from 'lit'

// `css` checks what is interpolated, and takes 150 bytes more: this is a constant.
// A page's styles override `:host`, so the layout does not depend on the host's `display`.
// The first column gives a container that fits its content the width of a form, not a frame's 300 pixels.
// Bones have the places of the form's summary, fields, and buttons, in the color of the page's text.
// An empty part has no height, so that it covers no slotted link.
// A result has its sign where the form's result had it. A frame above a text has the height that the text leaves.
// The frame is hidden by `opacity`, because Chromium runs no ResizeObserver in a frame that is not rendered.
export const styles = unsafeCSS(`
  :host {
    display: block;
    min-block-size: ${FIRST_VIEW}px;
  }
  .box {
    position: relative;
    display: grid;
    grid-template: minmax(0, 1fr) / minmax(0, 480px) minmax(0, 1fr);
    min-block-size: inherit;
  }
  .box > * {
    grid-area: 1 / 1 / 2 / 3;
  }
  slot:not([hidden]) {
    display: block;
  }
  [role] {
    align-self: end;
    text-align: center;
    text-wrap: balance;
    outline: 0;
  }
  .box > div + div {
    align-self: start;
    margin-block-start: 175px;
  }
  .box:has(iframe) > div + div {
    grid-row: 2;
    margin-block: -24px -4px;
  }
  [part=loading] > .message {
    min-block-size: 92px;
    margin-block-end: 92px;
  }
  [part=result] ::slotted([hidden]) {
    display: block !important;
  }
  .skeleton,
  .message {
    display: grid;
    align-content: start;
    max-inline-size: 400px;
    margin: 0 auto;
    padding: 16px 20px;
  }
  .skeleton {
    position: absolute;
    inset: 0;
    grid-template-columns: 1fr 1fr;
    gap: 0 10px;
    overflow: hidden;
  }
  i:nth-child(3),
  i:nth-child(n + 6) {
    grid-column: span 2;
  }
  i {
    block-size: 44px;
    margin: 20px 0 27px;
    border-radius: 10px;
    background: currentColor;
    opacity: .1;
  }
  i:nth-child(-n + 2) {
    block-size: 40px;
    margin: 0 0 16px;
  }
  i:nth-child(7) {
    block-size: 48px;
    margin-top: 31px;
  }
  .message {
    position: relative;
    gap: 20px;
  }
  b,
  span {
    display: block;
  }
  b,
  b + span {
    margin: 0 auto 8px;
    font-size: 1.25em;
    font-weight: 600;
    line-height: 1.3;
  }
  b {
    inline-size: 56px;
    border-radius: 50%;
    margin-block-end: 16px;
    background: #8882;
    font-size: 1.5em;
    line-height: 56px;
  }
  [data-icon=✓] {
    background: #1a62;
  }
  [data-icon='!'] {
    background: #d602;
  }
  [data-icon=×] {
    background: #d222;
  }
  button {
    min-block-size: 48px;
    padding: 0 20px;
    border: 1px solid;
    border-radius: 10px;
    background: none;
    color: inherit;
    font: inherit;
    font-weight: 600;
  }
  iframe {
    position: relative;
    inline-size: 100%;
    min-block-size: 100%;
    block-size: var(--frame-height);
    border: 0;
    border-radius: 10px;
  }
  iframe[inert] {
    opacity: 0;
  }
  :has(> .message) ~ iframe {
    block-size: 0;
  }
`)
