/** Styles of the element: one box with one grid cell. Nothing overlaps the ready frame, and nothing moves. @module */
import { css } from '@lit/reactive-element'
import { FIRST_VIEW } from '@pi-checkout/contract/frame-protocol'

// A page's styles override `:host`, so the layout does not depend on the host's `display`.
// The first column gives a container that fits its content, such as a dialog, the width of a card form
// instead of a frame's 300 pixels. It has no minimum, and the second column takes the rest.
// The frame is hidden by `opacity`, because Chromium runs no ResizeObserver in a frame that is not rendered.
export const styles = css`
  :host {
    display: block;
    min-block-size: var(--pi-checkout-min-block-size, ${FIRST_VIEW}px);
  }
  .box {
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
    place-self: center;
    text-align: center;
  }
  [part='loading'] * {
    animation: wait 0.5s step-end;
  }
  [part='loading'] p {
    animation-duration: 5s;
  }
  @keyframes wait {
    from {
      visibility: hidden;
    }
  }
  button {
    margin-block-start: 1em;
    font: inherit;
  }
  iframe {
    position: relative;
    inline-size: 100%;
    min-block-size: inherit;
    block-size: min(var(--frame-height, 0px), var(--pi-checkout-max-block-size, 5000px));
    border: 0;
  }
  iframe[inert] {
    opacity: 0;
  }
`
