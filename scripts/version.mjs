// `node scripts/version.mjs X.Y.Z`: gives all published packages one version.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './files.mjs'
import { published } from './pack.mjs'

const [, , version = ''] = process.argv
if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) throw new Error('Name a version, such as 0.1.0.')
for (const name of published) {
  const file = join(root, 'packages', name, 'package.json')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace(/"version": "[^"]+"/, `"version": "${version}"`))
}
