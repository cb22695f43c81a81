// Whether a changed report of the public API has a changeset.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns whether a file changed without a changeset that names its package. On a branch, both are compared with where it
 * began; on the main branch, with the last release, or else with the commit that added the file.
 *
 * @param folder - The repository.
 * @param name - The package.
 */
export function lacksChangeset({ folder, file, name }) {
  const base = baseOf(folder, file)
  if (base === undefined || changed(folder, [base, '--diff-filter=M', '--', file]).length === 0) {
    return false
  }
  const changesets = join(folder, '.changeset')
  const pending = existsSync(changesets) ? readdirSync(changesets) : []
  const isNew = new Set([
    ...changed(folder, [base, '--diff-filter=AM', '--', '.changeset']),
    ...lines(folder, ['ls-files', '--others', '--exclude-standard', '.changeset']),
  ])
  return !pending
    .filter((each) => each.endsWith('.md') && isNew.has(`.changeset/${each}`))
    .some((each) => readFileSync(join(changesets, each), 'utf8').includes(`"${name}":`))
}

function baseOf(folder, file) {
  const [head] = lines(folder, ['rev-parse', 'HEAD'])
  const [fork] = lines(folder, ['merge-base', 'HEAD', 'origin/main'])
  if (fork !== undefined && fork !== head) return fork
  const [release] = lines(folder, ['describe', '--tags', '--abbrev=0'])
  return release ?? lines(folder, ['log', '--diff-filter=A', '--format=%H', '--', file]).at(-1)
}

function changed(folder, args) {
  return lines(folder, ['diff', '--name-only', ...args])
}

/** The output of git, or nothing without a repository or without that commit. */
function lines(folder, args) {
  const { stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' })
  return (stdout ?? '').split('\n').filter(Boolean)
}
