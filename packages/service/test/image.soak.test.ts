import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@pi-checkout/test-support/free-port'
import { root, startProgram } from '@pi-checkout/test-support/process'
import { expect, test } from 'vitest'
import { newSecretKey } from '../src/secret-keys.ts'
import { atEnd, startPostgres, temporaryFolder } from './support/lifetime.ts'
import { Merchant } from './support/service.ts'

const read = (file: string): string => readFileSync(join(root, 'packages/service', file), 'utf8')
const dockerfile = read('Dockerfile')
const compose = read('compose.yaml')
const run = promisify(execFile)

/** Returns the rest of each line that begins with this instruction. */
function instructions(name: string): string[] {
  return [...dockerfile.matchAll(new RegExp(`^${name} (.+)$`, 'gm'))].map(([, rest = '']) => rest)
}

/** Returns the service's environment of the compose file. */
function environmentOf(values: Record<string, string>): Record<string, string> {
  const [, block = ''] =
    /\n {2}service:[\s\S]*?\n {4}environment:\n((?: {6}.+\n)+)/.exec(compose) ?? []
  const replaced = block
    .replace(/\$\{(\w+)[^}]*\}/g, (_, name: string) => values[name] ?? '')
    .replaceAll('"', '')
  const lines = replaced.matchAll(/^ {6}(\w+): (.+)$/gm)
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]))
}

test('runs as a plain user, keeps data in a volume, and contains no secret', () => {
  expect(instructions('USER')).toEqual(['node'])
  expect(instructions('VOLUME')).toEqual(['/data'])
  for (const text of [dockerfile, compose]) {
    expect(text).not.toMatch(/pi_sk_|\bk\d:[\w-]{43}/)
    for (const [, value = ''] of text.matchAll(/(?:PASSWORD|SECRET_KEY)[:=] ?(\S+)/g)) {
      expect(value).toMatch(/^\$\{\w+/)
    }
  }
})

test('builds a healthy service on PostgreSQL with its steps', async () => {
  const folder = temporaryFolder()
  const server = await startPostgres()
  const port = await freePort(2)
  // Where the image has its own folders, user, and port, this host has others.
  const here = (step: string): string =>
    step
      .replaceAll(/(?<=\s)\/(service|data)\b/g, `${folder}/$1`)
      .replace('-o node -g node', `-o ${userInfo().uid} -g ${userInfo().gid}`)
      .replaceAll(':4000', `:${port}`)
  const shell = async (step: string) =>
    await run('sh', ['-c', here(step)], { cwd: root, maxBuffer: 1e7 })
  // What it builds exists, and other tests use it meanwhile.
  const steps = instructions('RUN').filter((step) => step !== 'npm run build')
  for (const step of steps) await shell(step)

  const pairs = instructions('ENV').flatMap((line) => line.split(' '))
  const env = {
    ...Object.fromEntries(pairs.map((pair) => pair.split('='))),
    ...environmentOf({ POSTGRES_PASSWORD: 'none', PI_SECRET_KEY: newSecretKey() }),
    PI_DATABASE_URL: server.url,
  }
  const [command = '', ...args] = JSON.parse(instructions('CMD')[0] ?? '') as string[]
  const cwd = join(folder, 'service')
  const program = await startProgram([...args, '--port', String(port), '--json'], {
    command,
    cwd,
    env,
  })
  atEnd(() => program.stop())
  const { baseUrl: url } = JSON.parse(program.line) as { baseUrl: string }
  const keys = [...args.slice(0, -1), 'keys', 'create', '--merchant', 'Ararat Tea House']
  const created = await run(command, [...keys, '--environment', 'test'], { cwd, env })
  const { apiKey } = JSON.parse(created.stdout) as { apiKey: string }
  expect((await new Merchant({ url, apiKey }).create()).status).toBe(201)
  const [, health = ''] = / CMD (.+)$/.exec(instructions('HEALTHCHECK')[0] ?? '') ?? []
  await shell(health)
  expect(await program.stop()).toBe(0)
  await expect(shell(health)).rejects.toMatchObject({ code: 1 })
})
