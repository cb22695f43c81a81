// `npm run build`: builds all packages, if one of their files is newer than the last build.
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './files.mjs'
import { runPnpm } from './pnpm.mjs'

/** Its time is that of the last build. It is in the output of the package that is built last. */
const stamp = join(root, 'demo/dist/built')
const ignored = /^test-support|\/(?:node_modules|dist|test)(?:\/|$)|\.tsbuildinfo$/
const startedAt = new Date()
if (changedAt(stamp) < Math.max(...inputs().map(changedAt))) {
  rmSync(stamp, { force: true })
  process.env.NODE_ENV = 'production'
  if (!runPnpm('--recursive', 'run', 'build')) process.exit(1)
  mkdirSync(join(root, 'demo/dist'), { recursive: true })
  writeFileSync(stamp, '')
  utimesSync(stamp, startedAt, startedAt)
}

/** The files and folders below packages, and those of the demo that are built. A folder changes when a file of it leaves. */
function inputs() {
  const packages = below('packages').filter((path) => path.includes('/') && !ignored.test(path))
  const others = ['demo/vite.config.ts', 'scripts/library.ts', 'pnpm-lock.yaml', 'tsconfig.json']
  return [
    ...packages.map((path) => join(root, 'packages', path)),
    ...below('demo/server').map((path) => join(root, 'demo/server', path)),
    ...others.map((path) => join(root, path)),
  ]
}

function below(folder) {
  return ['.', ...readdirSync(join(root, folder), { recursive: true })]
}

function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
