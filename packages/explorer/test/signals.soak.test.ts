import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { cli } from './support/shop.ts'

test.each([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('after %s the command leaves no shop and no folder', async (signal, code) => {
  const folder = mkdtempSync(join(tmpdir(), 'pi-explore-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  // It never responds. The name of its file is its process id.
  const shop = ['sh', '-c', `touch "${folder}/$$"; exec sleep 60`]
  const env = { ...process.env, TMPDIR: join(folder, 'tmp') }
  mkdirSync(env.TMPDIR)
  const child = spawn(process.execPath, [cli, '--', ...shop], { env })
  const ids = () => readdirSync(folder).filter((name) => name !== 'tmp')
  await expect.poll(() => ids().length, { timeout: 20_000 }).toBe(1)
  const ended = once(child, 'exit')
  child.kill(signal)
  expect(await ended).toEqual([code, null])
  await expect.poll(() => ids().filter(isRunning), { timeout: 10_000 }).toEqual([])
  expect(readdirSync(env.TMPDIR).filter((name) => name.startsWith('pi-explore-'))).toEqual([])
})

function isRunning(id: string): boolean {
  try {
    return process.kill(Number(id), 0)
  } catch {
    return false
  }
}
