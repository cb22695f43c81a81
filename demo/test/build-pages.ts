/**
 * Builds the pages once: the shop serves built files alone.
 *
 * @module
 */
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

export async function setup(): Promise<void> {
  const configFile = fileURLToPath(new URL('../vite.config.ts', import.meta.url))
  await build({ configFile, logLevel: 'error' })
}
