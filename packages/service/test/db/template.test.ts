import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { tarEntries } from '../../src/db/embedded/template.ts'

test('reads files of an archive by their whole path, however long it is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pi-service-tar-'))
  const long = `${'folder-of-forty-characters-0123456789/'.repeat(4)}file`
  const files = new Map([
    ['short', 'one'],
    [long, 'two'],
  ])
  for (const [name, content] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  const args = ['--format=ustar', '-cf', '-', '-C', folder, ...files.keys()]
  const { stdout } = await promisify(execFile)('tar', args, { encoding: 'buffer' })
  await rm(folder, { recursive: true })
  const found = [...tarEntries(stdout)].map(({ name, content }) => [name, content?.toString()])
  expect(found).toEqual([...files])
})
