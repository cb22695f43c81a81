// Names, comments, and titles use standard terms: "Words" in CONTRIBUTING.md lists the project's own.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@pi-checkout/test-support/process'
import { expect, test } from 'vitest'

const words =
  /\b(?:world|(?<!Tea )house|room|stranger|told|asker|patience|chance|slip|knock|torture|(?<!\|)nobody|somebody|whoever)s?\b/gi
const phrases = /all the same\b|of its own\b|as if absent/gi
const skipped = /^pnpm-lock|\.(?:woff2|svg)$|^\.changeset\/|^packages\/tooling\/checks\/words/
test('no file uses a word that this project does not use', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n')
  const found = files
    .filter((path) => !skipped.test(path))
    .flatMap((path) =>
      `${path}\n${readFileSync(join(root, path), 'utf8')}`
        .split('\n')
        .map((line, number) => [
          `${path}:${number}`,
          line.replace(/([a-z])(?=[A-Z])/g, '$1 ').replaceAll('_', ' '),
        ])
        .flatMap(([place, line]) =>
          [...line.matchAll(words), ...line.matchAll(phrases)].map(([word]) => `${place} ${word}`),
        ),
    )
  expect(found).toEqual([])
})
