// What the build has made, and whether it is still what the sources say.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** Every room that is built, in the order in which they need each other. */
export const rooms = [
  { room: 'packages/contract', needs: [] },
  { room: 'packages/element', needs: ['packages/contract'] },
  { room: 'packages/service', needs: ['packages/contract', 'packages/element'] },
  { room: 'packages/server', needs: ['packages/contract'] },
  { room: 'demo', needs: ['packages/server', 'packages/element'] },
]

/** Files that every build reads. */
const shared = [
  ...['package.json', 'pnpm-lock.yaml', 'tsconfig.json'],
  ...['.ci/build.mjs', '.ci/inline-contract.mjs'],
]

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

/**
 * Whether a room, and every room that it needs, is built from what its sources are now.
 *
 * @param {string} name
 * @returns {boolean}
 */
export function isBuilt(name) {
  const { needs } = stepOf(name)
  return !isStale(name) && needs.every(isBuilt)
}

/** Whether something has changed since a room was built; of the rooms that it needs, their build. */
export function isStale(name) {
  const built = existsSync(join(root, name, 'dist')) ? changedAt(stampOf(name)) : 0
  const { needs } = stepOf(name)
  return [...sources(name), ...needs.map(stampOf)].some((path) => changedAt(path) > built)
}

/** The file that says when a room was built. */
export function stampOf(name) {
  // Outside of dist, which is published as it is.
  return join(root, '.cache/built', name)
}

function stepOf(name) {
  return rooms.find(({ room }) => room === name)
}

function sources(name) {
  return [...shared.map((file) => join(root, file)), ...files(join(root, name))]
}

function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (unbuilt.has(entry.name) || entry.name.endsWith('.md')) continue
    const path = join(folder, entry.name)
    // A folder itself changes when a file in it goes.
    yield path
    if (entry.isDirectory()) yield* files(path)
  }
}

function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
