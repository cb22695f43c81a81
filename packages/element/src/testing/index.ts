/** For merchants' own tests: a hosted page without a network, and a buyer for Playwright. @module */
export type { FakeHostedPage, FakeHostedPageOptions, FakeStep } from './fake-hosted-page.ts'
export { fakeHostedPage } from './fake-hosted-page.ts'
export type { PaymentOutcome } from './pay-with.ts'
export { payWith } from './pay-with.ts'
