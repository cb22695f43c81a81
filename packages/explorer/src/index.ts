/** Public names of `@pi-checkout/explorer`. The command `pi-explore` is in `cli/main.ts`. @module */
export type {
  Adapter,
  AdapterBuyer,
  BuyerRequest,
  EditedOrder,
  OrderState,
  ShopRoutes,
} from './adapter.ts'
export type { RecordedRequest } from './buyer.ts'
export { type Exploration, type ExploreOptions, explore, type FoundViolation } from './explore.ts'
export { type Rule, SetupError } from './violation.ts'
