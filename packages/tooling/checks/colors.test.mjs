// Each color has a name: hexadecimal colors are in tokens.css only.
import { expect, test } from 'vitest'
import { repositoryFiles } from '../files.mjs'

const color = /(?<=:[^;{}\n]*)(?<![.\w&])#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})\b/i

test('no style sheet except tokens.css has a hexadecimal color', () => {
  const hosted = 'packages/service/hosted'
  const files = repositoryFiles(`${hosted}/*.css`, `${hosted}/*.ts`)
  expect(files.length).toBeGreaterThan(20)
  const found = files
    .filter(({ path, text }) => !path.endsWith('/tokens.css') && color.test(text))
    .map(({ path }) => path)
  expect(found).toEqual([])
})
