import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Runs a checker over the samples and the wrong template beside them: every line it says. */
function check(program: string, args: readonly string[]): Promise<string[]> {
  const path = `${root}test/templates/node_modules/.bin/${program}`
  return new Promise((resolve) => {
    // What is wrong there makes it end with a code of its own.
    execFile(path, args, { cwd: root }, (_, stdout) => resolve(stdout.trim().split('\n')))
  })
}

test.concurrent("Vue's templates are type-checked: the sample is right, each wrong line is found", async () => {
  const lines = await check('vue-tsc', ['--noEmit', '--pretty', 'false', '-p', 'test/templates'])
  const faults = lines.filter((line) => !line.startsWith(' '))
  expect(faults).toEqual([
    expect.stringMatching(/wrong\.vue\(9,.+'number' is not assignable to type 'string'/),
    expect.stringMatching(/wrong\.vue\(10,.+'secret' does not exist/),
    expect.stringMatching(/wrong\.vue\(11,.+not assignable to type '\(event: PiFinishEvent\)/),
    expect.stringMatching(/wrong\.vue\(12,.+'status' does not exist/),
    expect.stringMatching(/wrong\.vue\(13,.+'onPiPaid' does not exist/),
  ])
})

test.concurrent("Svelte's markup is type-checked: the sample is right, each wrong line is found", async () => {
  const lines = await check('svelte-check', [
    ...['--workspace', '.', '--config', 'svelte.config.mjs', '--output', 'machine'],
    ...['--tsconfig', './test/templates/tsconfig.json'],
  ])
  const faults = lines.filter((line) => / (ERROR|WARNING|FAILURE) /.test(line))
  expect(faults).toEqual([
    expect.stringMatching(/wrong\.svelte" 8:.+'number' is not assignable to type 'string'/),
    expect.stringMatching(/wrong\.svelte" 9:.+secret.+ does not exist/),
    expect.stringMatching(/wrong\.svelte" 10:.+not assignable to type '\(event: PiFinishEvent\)/),
    expect.stringMatching(/wrong\.svelte" 11:.+'status' does not exist/),
    expect.stringMatching(/wrong\.svelte" 12:.+onpi-paid.+ does not exist/),
  ])
})
