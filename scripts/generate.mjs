// `npm run generate`: writes every file of the repository that is generated.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './files.mjs'
import { published } from './pack.mjs'
import { pnpm } from './pnpm.mjs'

writeFileSync(join(root, '.github/LICENSES.md'), licenses())

/** The third-party packages that run with ours. The builds inline those of the contract. */
function licenses() {
  const folders = [...published, 'contract'].flatMap((name) => ['--filter', `./packages/${name}`])
  const args = ['--yes', pnpm, ...folders, 'licenses', 'list', '--prod', '--json']
  const { status, stdout, stderr } = spawnSync('npx', args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  const sections = Object.entries(JSON.parse(stdout)).map(
    ([license, packages]) => `## ${license}\n\n${packages.map(({ name }) => name).join(', ')}`,
  )
  const title =
    '# Licenses\n\nThe packages that run with ours, by license. `npm run generate` writes this file.'
  return `${[title, ...sections].join('\n\n')}\n`
}
