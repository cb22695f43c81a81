/** Stands in for `@lit-labs/ssr-dom-shim` in the build: Lit needs a class to extend where there is no DOM. @module */

export class HTMLElement {}

/** A server registers no element. */
export const customElements = undefined
