import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { tarEntries } from '../../src/db/embedded/template.ts'
import { temporaryFolder } from '../support/lifetime.ts'

test('reads files of an archive by their complete path', async () => {
  const folder = temporaryFolder()
  const long = `${'folder-of-forty-characters-0123456789/'.repeat(4)}file`
  const files = [
    ['short', 'one'],
    [long, 'two'],
  ] as const
  for (const [name, content] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  const args = ['--format=ustar', '-cf', '-', '-C', folder, ...files.map(([name]) => name)]
  const { stdout } = await promisify(execFile)('tar', args, { encoding: 'buffer' })
  const found = [...tarEntries(stdout)].map(({ name, content }) => [name, content?.toString()])
  expect(found).toEqual(files)
})
