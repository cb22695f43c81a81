/** Lit elements without a shadow root, so that password managers find the fields and one sheet covers all. @module */
import { LitElement } from 'lit'

export class LightElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this
  }
}
