// Builds what has changed, in the order in which the rooms need each other. `--force` builds everything.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isStale, rooms, root, stampOf } from './built.mjs'

const force = process.argv.includes('--force')
const finish = new Map([['packages/service', placeElement]])

for (const { room } of rooms) {
  if (force || isStale(room)) build(room)
}

function build(room) {
  console.log(`Building ${room}…`)
  // What no source makes any more would be published all the same.
  rmSync(join(root, room, 'dist'), { recursive: true, force: true })
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
  finish.get(room)?.()
  mkdirSync(dirname(stampOf(room)), { recursive: true })
  writeFileSync(stampOf(room), '')
}

// The service hands the element's self-contained file and playground to browsers; it imports nothing.
function placeElement() {
  for (const name of ['pi-checkout.js', 'playground']) {
    const built = join(root, 'packages/element/dist', name)
    cpSync(built, join(root, 'packages/service/dist/hosted', name), { recursive: true })
  }
}
