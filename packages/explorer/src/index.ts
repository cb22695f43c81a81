/** Types of an adapter for the command `pi-explore`, which is in `cli/main.ts`. @module */
export type {
  Adapter,
  AdapterBuyer,
  BuyerRequest,
  OrderRecord,
  PlacedOrder,
  ShopRoutes,
} from './adapter.ts'
