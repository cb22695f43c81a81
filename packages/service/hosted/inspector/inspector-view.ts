/** Base class of the inspector's sections. @module */
import { property } from 'lit/decorators.js'
import { LightElement } from '../light-element.ts'
import type { InspectorState } from './inspector-state.ts'

export class InspectorView extends LightElement {
  /** Always the same object, so each assignment counts as a change. */
  @property({ attribute: false, hasChanged: () => true }) state!: InspectorState
}
