// Names, comments, and titles use standard terms: "Words" in CONTRIBUTING.md lists the project's own.
import { expect, test } from 'vitest'
import { repositoryFiles } from '../files.mjs'

const words =
  /\b(?:world|(?<!Tea )house|room|stranger|told|asker|patience|chance|slip|knock|torture|(?<!\|)nobody|somebody|whoever)s?\b|all the same\b|of its own\b|as if absent/gi
const skipped = [
  ...['pnpm-lock.yaml', '*.woff2', '*.svg', '.changeset', 'packages/tooling/checks/words*'],
].map((pattern) => `:(exclude)${pattern}`)

test('no file uses a word that this project does not use', () => {
  const found = repositoryFiles(...skipped).flatMap(({ path, text }) =>
    `${path}\n${text}`.split('\n').flatMap((line, number) => {
      const spaced = line.replace(/([a-z])(?=[A-Z])/g, '$1 ').replaceAll('_', ' ')
      return [...spaced.matchAll(words)].map(([word]) => `${path}:${number} ${word}`)
    }),
  )
  expect(found).toEqual([])
}, 60_000)
