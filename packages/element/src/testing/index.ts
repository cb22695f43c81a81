/** For merchants' own tests: a hosted page without a network, and a buyer. @module */
export { type FakeHostedPage, fakeHostedPage } from './fake-hosted-page.ts'
export { payWith } from './pay-with.ts'
export type { PaymentOutcome } from './plans.ts'
