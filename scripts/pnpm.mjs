// Runs the pnpm that package.json names, which npx installs if necessary: `node scripts/pnpm.mjs install`.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
/** For example `pnpm@1.2.3`. */
export const { packageManager: pnpm } = JSON.parse(manifest)

/** Returns whether it succeeded. */
export function runPnpm(...args) {
  // npm passes these on to npx, which would run the outer command again.
  const { npm_config_call: _call, npm_config_package: _package, ...env } = process.env
  return spawnSync('npx', ['--yes', pnpm, ...args], { env, stdio: 'inherit' }).status === 0
}

if (process.argv[1] === import.meta.filename && !runPnpm(...process.argv.slice(2))) process.exit(1)
