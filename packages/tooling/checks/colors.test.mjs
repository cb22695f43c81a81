// Each color has a name: hexadecimal colors are in tokens.css only.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root } from '@pi-checkout/test-support/process'
import { expect, test } from 'vitest'

test('no style sheet except tokens.css has a hexadecimal color', () => {
  const args = ['ls-files', 'packages/service/hosted/*.css', 'packages/service/hosted/*.ts']
  const files = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim().split('\n')
  const found = files
    .filter((path) => basename(path) !== 'tokens.css')
    .flatMap((path) => {
      const colors =
        readFileSync(join(root, path), 'utf8').match(
          /(?<=:[^;{}\n]*)(?<![.\w&])#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})\b/gi,
        ) ?? []
      return colors.map((color) => `${path}: ${color}`)
    })
  expect(found).toEqual([])
})
