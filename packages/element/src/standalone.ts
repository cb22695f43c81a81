/**
 * The self-contained file, which the checkout serves: its own address is the checkout's origin.
 *
 * @module
 */
import './define.ts'
import { configureCheckout } from './origin.ts'

configureCheckout({ origin: new URL(import.meta.url).origin })
