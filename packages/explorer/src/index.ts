/** Public names of `@pi-checkout/explorer`. The command `pi-explore` is in `cli/main.ts`. @module */
export type {
  Adapter,
  AdapterBuyer,
  BuyerRequest,
  OrderRecord,
  PlacedOrder,
  ShopRoutes,
} from './adapter.ts'
export type { Exploration, ExploreOptions, FoundViolation } from './exploration.ts'
export { explore } from './explore.ts'
export type { Rule } from './rules.ts'
export { SetupError } from './setup-error.ts'
