/** Public names of `@pi-checkout/service`. The command `pi-service` is in `cli/main.ts`. @module */
export { type Service, type StartServiceOptions, startService } from './start/start-in-memory.ts'
