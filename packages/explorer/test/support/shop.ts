/** The shops of `test/shops`. @module */
import { fileURLToPath } from 'node:url'
import type { Adapter, ExploreOptions } from '../../src/index.ts'
import adapter from '../shops/adapter.mjs'

const fileOf = (name: string): string =>
  fileURLToPath(new URL(`../shops/${name}.mjs`, import.meta.url))

export const cli = fileURLToPath(new URL('../../bin/pi-explore.mjs', import.meta.url))
export const adapterFile = fileOf('adapter')
export const command = [process.execPath, fileOf('shop')]

/** Returns the options for the shop with one mistake. */
export function shopWith(mistake: string): Pick<ExploreOptions, 'command' | 'adapter'> {
  const env: Adapter['env'] = (sequence) => ({ ...adapter.env?.(sequence), MISTAKE: mistake })
  return { command, adapter: { ...adapter, env } }
}

/** The same as one process, which is not restarted: its sequences take the least time. */
export function oneProcess(mistake: string): Pick<ExploreOptions, 'command' | 'adapter'> {
  const { adapter: whole } = shopWith(mistake)
  return { command, adapter: { ...whole, instances: 1, survivesRestart: false } }
}
