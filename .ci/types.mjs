// Type-checks every project of the repository. Exits 1 when one fails.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const projects = [
  'packages/contract',
  'packages/server',
  'packages/element',
  'packages/service',
  'packages/service/hosted',
  'demo',
  'demo/pages',
  'e2e',
].filter((path) => existsSync(`${root}/${path}/tsconfig.json`))

const results = projects.map((project) =>
  spawnSync('node_modules/.bin/tsc', ['--pretty', 'false', '-p', project], {
    cwd: root,
    stdio: 'inherit',
  }),
)
process.exit(results.some(({ status }) => status !== 0) ? 1 : 0)
