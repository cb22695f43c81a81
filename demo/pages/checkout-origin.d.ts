/**
 * What the running shop answers at `/checkout-origin.js`: only it knows its checkout.
 *
 * @module
 */

/** Where the hosted checkout lives. */
export declare const checkoutOrigin: string
