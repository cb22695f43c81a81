import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'

vi.setConfig({ testTimeout: 120_000 })

const root = fileURLToPath(new URL('..', import.meta.url))

/** Runs a checker on the templates. Returns the lines of its output. */
function check(program: string, args: readonly string[]): Promise<string[]> {
  const path = `${root}test/templates/node_modules/.bin/${program}`
  return new Promise((resolve) => {
    // The errors make it exit with a code other than 0.
    execFile(path, args, { cwd: root }, (_, stdout) => resolve(stdout.trim().split('\n')))
  })
}

test.concurrent('vue-tsc rejects each wrong line of a template, and no other', async () => {
  const lines = await check('vue-tsc', ['--noEmit', '--pretty', 'false', '-p', 'test/templates'])
  const errors = lines.filter((line) => !line.startsWith(' '))
  expect(errors).toEqual([
    expect.stringMatching(/template-types\.vue\(9,.+'number' is not assignable to type 'string'/),
    expect.stringMatching(/template-types\.vue\(10,.+'secret' does not exist/),
    expect.stringMatching(/template-types\.vue\(11,.+not assignable to type 'Handler</),
    expect.stringMatching(/template-types\.vue\(12,.+'status' does not exist/),
    expect.stringMatching(/template-types\.vue\(13,.+'onPiPaid' does not exist/),
  ])
})

test.concurrent('svelte-check rejects each wrong line of a template, and no other', async () => {
  const lines = await check('svelte-check', [
    '--workspace=.',
    '--config=svelte.config.mjs',
    '--output=machine',
    '--tsconfig=./test/templates/tsconfig.json',
  ])
  const errors = lines.filter((line) => / (ERROR|WARNING|FAILURE) /.test(line))
  expect(errors).toEqual([
    expect.stringMatching(
      /template-types\.svelte" 8:.+'number' is not assignable to type 'string'/,
    ),
    expect.stringMatching(/template-types\.svelte" 9:.+secret.+ does not exist/),
    expect.stringMatching(/template-types\.svelte" 10:.+not assignable to type 'Handler</),
    expect.stringMatching(/template-types\.svelte" 11:.+'status' does not exist/),
    expect.stringMatching(/template-types\.svelte" 12:.+onpi-paid.+ does not exist/),
  ])
})
