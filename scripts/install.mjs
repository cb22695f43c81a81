// Installs packages in a folder that has a package.json, as npm lays them out, but with pnpm, which is several times as
// fast. That npm installs ours is tried in packages.soak.test.mjs.
import { runProgram } from '@pi-checkout/test-support/process'
import { pnpm } from './pnpm.mjs'

/** @param packages - For example `express@5.3.0`, or the paths of tarballs. */
export async function install(cwd, packages) {
  const flags = ['--ignore-workspace', '--ignore-scripts', '--prefer-offline']
  const layout = ['--config.node-linker=hoisted', '--config.auto-install-peers=false']
  const args = ['--yes', pnpm, 'add', ...flags, ...layout, ...packages]
  const env = { NODE_ENV: undefined, CI: undefined }
  const options = { command: 'npx', cwd, env, detached: true, timeout: 180_000 }
  const { code, output, errors } = await runProgram(args, options)
  if (code !== 0) throw new Error(`npx ${args.join(' ')}: ${output}${errors}`)
}
