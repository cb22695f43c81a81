/** Searches with one service for all tests of a file. @module */
import { type Service, startService } from '@pi-checkout/service'
import { beforeAll } from 'vitest'
import { type Exploration, type ExploreOptions, explore as search } from '../../src/index.ts'

let service: Service

beforeAll(async () => {
  service = await startService({ logLevel: 'silent' })
  return service.stop
})

/** The same as `explore()`. */
export async function explore(options: ExploreOptions): Promise<Exploration> {
  return await search({ service, ...options })
}
