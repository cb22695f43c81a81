// Type-checks every project of the repository, two at a time. Exits 1 when one fails.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { root } from './built.mjs'

// The largest first: at the end nobody waits for one alone.
const projects = [
  'packages/service',
  'e2e',
  'demo',
  'packages/element',
  'packages/server',
  'packages/service/hosted',
  'demo/pages',
  'packages/contract',
  'packages/test-support',
].filter((path) => existsSync(`${root}/${path}/tsconfig.json`))

const statuses = []
await Promise.all([checkNext(), checkNext()])
process.exit(statuses.some((status) => status !== 0) ? 1 : 0)

async function checkNext() {
  for (let project = projects.shift(); project; project = projects.shift()) {
    const args = ['--pretty', 'false', '-p', project]
    const child = spawn('node_modules/.bin/tsc', args, { cwd: root, stdio: 'inherit' })
    const [status] = await once(child, 'exit')
    statuses.push(status)
  }
}
