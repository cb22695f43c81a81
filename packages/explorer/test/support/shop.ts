/** The shops of `test/shops`. @module */
import { fileURLToPath } from 'node:url'
import type { Adapter } from '../../src/adapter.ts'
import type { ExploreOptions } from '../../src/explore.ts'
import adapter from '../shops/adapter.mjs'

const fileOf = (name: string): string =>
  fileURLToPath(new URL(`../shops/${name}.mjs`, import.meta.url))

export const cli = fileURLToPath(new URL('../../bin/pi-explore.mjs', import.meta.url))
export const adapterFile = fileOf('adapter')
export const command = [process.execPath, fileOf('shop')]

/** Returns the options for the shop with one mistake. */
export function shopWith(mistake: string): ExploreOptions {
  const env: Adapter['env'] = (sequence) => ({ ...adapter.env?.(sequence), MISTAKE: mistake })
  return { command, adapter: { ...adapter, env }, time: 60_000 }
}
