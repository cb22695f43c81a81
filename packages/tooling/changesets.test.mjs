import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lacksChangeset } from './changesets.mjs'

const api = 'api-report.txt'
const server = '.changeset/server.md'
const other = '.changeset/other.md'

// Each step is a commit of the named files. "tag" releases, "push" moves origin/main here, "edit" does not commit.
test.each([
  ['no change', [[api, server], 'push'], false],
  ['a change on a branch', [[api, server], 'push', [api]], true],
  ['a change on a branch with its changeset', [[api], 'push', [api], [server]], false],
  [
    'a change on a branch with the changeset of another package',
    [[api], 'push', [api, other]],
    true,
  ],
  ['a change on a branch that has not been committed', [[api], 'push', 'edit'], true],
  ['a pushed change below another commit', [[api], [api], ['file'], 'push'], true],
  ['a pushed change with an earlier changeset', [[api], [server], [api], ['file'], 'push'], false],
  ['a pushed change after a release', [[api, server], [api], 'tag', [api], ['file'], 'push'], true],
  ['no pushed change after a release', [[api], [api], 'tag', ['file'], 'push'], false],
  ['a change without origin/main', [[api], [api], ['file']], true],
])('%s lacks a changeset or not', (_, steps, expected) => {
  const folder = mkdtempSync(join(tmpdir(), 'pi-changesets-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const git = (...args) => execFileSync('git', ['-C', folder, ...identity, ...args])
  git('init', '-q')
  mkdirSync(join(folder, '.changeset'))
  for (const [index, step] of steps.entries()) {
    const files = step === 'edit' ? [api] : Array.isArray(step) ? step : []
    for (const file of files) {
      writeFileSync(join(folder, file), `---\n"${file === other ? 'element' : 'server'}": ${index}`)
    }
    if (step === 'tag') git('tag', 'v1')
    if (step === 'push') git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    if (Array.isArray(step)) {
      git('add', '.')
      git('commit', '-qm', 'a commit')
    }
  }
  expect(lacksChangeset({ folder, file: api, name: 'server' })).toBe(expected)
})

const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.invalid']
