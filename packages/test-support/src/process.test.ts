import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { startProgram } from './process.ts'

test('a started program ends when the process that started it is killed', async () => {
  const nested = `
    import { startProgram } from '${new URL('process.ts', import.meta.url).href}'
    const { child } = await startProgram(['--eval', 'console.log("ready"); setInterval(() => {}, 1000)'])
    console.log(child.pid)
    setInterval(() => {}, 1000)`
  const args = ['--import', 'tsx', '--input-type=module', '--eval', nested]
  const starter = await startProgram(args)
  const isRunning = () =>
    execFileSync('ps', ['-e', '-o', 'pid=']).toString().split(/\s+/).includes(starter.line)
  expect(isRunning()).toBe(true)
  await starter.stop('SIGKILL')
  await expect.poll(isRunning, { timeout: 10_000 }).toBe(false)
}, 30_000)
