/** The module `/checkout-origin.js`, which the running shop serves: the build does not know the origin. @module */

/** Origin of the hosted checkout. */
export declare const checkoutOrigin: string
