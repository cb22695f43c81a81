/** For merchants' own tests: a hosted page without a network, a buyer, and test environments. @module */
export type {
  SandboxAddress,
  SandboxIntent,
  SandboxOutcome,
} from '@pi-checkout/contract/sandbox-environment'
export { SandboxEnvironment } from '@pi-checkout/contract/sandbox-environment'
export type { FakeHostedPage } from './fake-hosted-page.ts'
export { fakeHostedPage } from './fake-hosted-page.ts'
export { payWith } from './pay-with.ts'
export type { PaymentOutcome } from './plans.ts'
