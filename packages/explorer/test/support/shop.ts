/** The shop of `test/shops`. @module */
import { fileURLToPath } from 'node:url'
import type { Adapter, ExploreOptions } from '../../src/index.ts'
import adapter from '../shops/adapter.mjs'

const file = fileURLToPath(new URL('../shops/shop.mjs', import.meta.url))
export const adapterFile = fileURLToPath(new URL('../shops/adapter.mjs', import.meta.url))
export const command = [process.execPath, file]

/** Returns the options for the shop with one mistake. */
export function shopWith(mistake: string): Pick<ExploreOptions, 'command' | 'adapter'> {
  const env: Adapter['env'] = (sequence) => ({ ...adapter.env?.(sequence), MISTAKE: mistake })
  return { command, adapter: { ...adapter, env } }
}
