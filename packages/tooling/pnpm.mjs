// The pnpm of this repository, as package.json names it: npx brings it where it is not installed.
import { readFileSync } from 'node:fs'

const manifest = new URL('../../package.json', import.meta.url)

/** For example `pnpm@1.2.3`. */
export const { packageManager: pnpm } = JSON.parse(readFileSync(manifest, 'utf8'))
