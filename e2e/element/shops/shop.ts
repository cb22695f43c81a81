/** The npm entries as a shop bundles them for its page. @module */
export * from '@pi-checkout/element'
export * from '@pi-checkout/element/client'
