// The files of the repository: those that git knows or would add.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** @param patterns - As `git ls-files` takes them, such as `*.md`. */
export function repositoryFiles(...patterns) {
  const args = ['ls-files', '-co', '--exclude-standard', '--', ...patterns]
  const paths = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim().split('\n').sort()
  return paths
    .filter((path) => existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}
