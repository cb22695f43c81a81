// Packs what a merchant installs, as it would be published: `npm run pack -- FOLDER`, default .cache/packages.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { root } from './files.mjs'
import { pnpm } from './pnpm.mjs'

/** What is published, below `packages`. */
export const published = ['server', 'element', 'service', 'explorer']

/** Packs every package into a folder. Returns the path of each tarball. */
export function pack(folder) {
  mkdirSync(folder, { recursive: true })
  // An older version next to the new one would be installed too.
  for (const file of tarballs(folder)) rmSync(file)
  // Only pnpm writes versions and published entries into the manifest.
  const selected = ['--recursive', '--filter', `./packages/{${published.join(',')}}`]
  const args = ['--yes', pnpm, ...selected, 'pack', '--pack-destination', folder]
  const { status, stdout, stderr } = spawnSync('npx', args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The packages could not be packed:\n${stdout}${stderr}`)
  return new Map(
    published.map((name) => [name, tarballs(folder).find((file) => file.includes(`-${name}-`))]),
  )
}

function tarballs(folder) {
  const names = readdirSync(folder).filter((name) => /^pi-checkout-.*\.tgz$/.test(name))
  return names.map((name) => join(folder, name))
}

if (process.argv[1] === import.meta.filename) {
  const folder = resolve(process.argv[2] ?? join(root, '.cache/packages'))
  const build = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
  if (build.status !== 0) process.exit(1)
  for (const tarball of pack(folder).values()) console.log(relative(process.cwd(), tarball))
  console.log(`\nIn the shop: npm install ${join(folder, 'pi-checkout-*.tgz')}`)
}
