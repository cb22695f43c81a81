/**
 * Lit elements without a shadow root, so that browsers and password managers find the fields, and one
 * stylesheet covers the page.
 *
 * @module
 */
import { LitElement } from 'lit'

export class LightElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this
  }
}
