// A file that another program writes must not be an input of a build: the build would run again, and remove what
// running tests and services read.
import { readFileSync } from 'node:fs'
import { dirname, join, matchesGlob, relative } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryFiles, root } from '../files.mjs'

test('no build reads what the type check writes', () => {
  const paths = repositoryFiles('packages', 'demo').map(({ path }) => path)
  const written = paths
    .filter((path) => path.endsWith('/tsconfig.json'))
    .map((path) => path.replace(/json$/, 'tsbuildinfo'))
  const read = paths
    .filter((path) => path.endsWith('/package.json'))
    .flatMap((path) => {
      const { wireit = {} } = JSON.parse(readFileSync(join(root, path), 'utf8'))
      const files = wireit.build?.files ?? []
      const matches = (file) =>
        files.some((glob) => matchesGlob(file, glob)) &&
        !files.some((glob) => glob.startsWith('!') && matchesGlob(file, glob.slice(1)))
      return written.filter((file) => matches(relative(dirname(path), file)))
    })
  expect(written.length).toBeGreaterThan(5)
  expect(read).toEqual([])
})
