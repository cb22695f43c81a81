/** For each request: the variable belongs to the running shop. */
export const load = () => ({ checkoutOrigin: process.env.PI_CHECKOUT_ORIGIN })
