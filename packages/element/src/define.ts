/** Registers `<pi-checkout>`, unless another copy of this code has registered it. @module */
import { registerDefaultTag } from './define-checkout.ts'

registerDefaultTag()
