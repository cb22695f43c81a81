// The pnpm version that package.json names; npx installs it if necessary.
import { readFileSync } from 'node:fs'

const manifest = new URL('../package.json', import.meta.url)

/** For example `pnpm@1.2.3`. */
export const { packageManager: pnpm } = JSON.parse(readFileSync(manifest, 'utf8'))
