// Builds what has changed, in the order in which the rooms need each other. `--force` builds everything.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const force = process.argv.includes('--force')
/** Folders that no build reads. */
const unbuilt = new Set([
  'node_modules',
  'dist',
  'test',
  'test-results',
  'bench',
  'guides',
  'examples',
  '.cache',
])

const steps = [
  { room: 'packages/contract', needs: [] },
  { room: 'packages/element', needs: ['packages/contract'] },
  {
    room: 'packages/service',
    needs: ['packages/contract', 'packages/element'],
    finish: placeElement,
  },
  { room: 'packages/server', needs: ['packages/contract'] },
  { room: 'demo', needs: ['packages/server', 'packages/element'] },
]

for (const step of steps) {
  if (force || isStale(step)) build(step)
}

function isStale({ room, needs }) {
  const built = existsSync(join(root, room, 'dist')) ? changedAt(stamp(room)) : 0
  return [...sources(room), ...needs.map(stamp)].some((path) => changedAt(path) > built)
}

function build({ room, finish }) {
  console.log(`Building ${room}…`)
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: join(root, room),
    encoding: 'utf8',
    // A test that builds has another one, and would leave the development form of every dependency.
    env: { ...process.env, NODE_ENV: 'production' },
  })
  if (status !== 0) {
    console.error(stdout + stderr)
    console.error(`${room} could not be built; see the lines above.`)
    process.exit(1)
  }
  finish?.()
  mkdirSync(dirname(stamp(room)), { recursive: true })
  writeFileSync(stamp(room), '')
}

// The service hands the element's self-contained file and playground to browsers; it imports nothing.
function placeElement() {
  for (const name of ['pi-checkout.js', 'playground']) {
    const built = join(root, 'packages/element/dist', name)
    cpSync(built, join(root, 'packages/service/dist/hosted', name), { recursive: true })
  }
}

function sources(room) {
  const shared = ['package.json', 'pnpm-lock.yaml', 'tsconfig.json'].map((name) => join(root, name))
  return [...shared, ...files(join(root, room))]
}

function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (unbuilt.has(entry.name) || entry.name.endsWith('.md')) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* files(path)
    else yield path
  }
}

function stamp(room) {
  // Outside of dist, which is published as it is.
  return join(root, '.cache/built', room)
}

function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
