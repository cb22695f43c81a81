/**
 * The self-contained file that the checkout serves itself: it knows its origin by its own address.
 *
 * @module
 */
import './define.ts'
import { configureCheckout } from './origin.ts'

configureCheckout({ origin: new URL(import.meta.url).origin })
