// Runs the pnpm that package.json names, which npx installs if necessary: `node scripts/pnpm.mjs install`.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
/** For example `pnpm@1.2.3`. */
export const { packageManager: pnpm } = JSON.parse(manifest)

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  // npm passes these on to npx, which would run the outer command again.
  const { npm_config_call: _call, npm_config_package: _package, ...env } = process.env
  const args = ['--yes', pnpm, ...process.argv.slice(2)]
  process.exitCode = spawnSync('npx', args, { env, stdio: 'inherit' }).status ?? 1
}
