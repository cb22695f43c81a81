import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from '@pi-checkout/test-support/free-port'
import { startTemporaryPostgres } from '@pi-checkout/test-support/postgres'
import { expect, test } from 'vitest'
import { newSecretKeys } from '../src/secret-keys.ts'
import { create } from './support/service.ts'

const packageFolder = fileURLToPath(new URL('..', import.meta.url))
const root = join(packageFolder, '../..')
const dockerfile = readFileSync(join(packageFolder, 'Dockerfile'), 'utf8')
const compose = readFileSync(join(packageFolder, 'compose.yaml'), 'utf8')
const shell = promisify(execFile)

/** What follows an instruction, each time that it stands there. */
function instructions(name: string): string[] {
  return [...dockerfile.matchAll(new RegExp(`^${name} (.+)$`, 'gm'))].map(([, rest = '']) => rest)
}

/** `NAME: value` of the service's environment. */
function environmentOf(values: Record<string, string>): Record<string, string> {
  const [, block = ''] =
    /\n {2}service:[\s\S]*?\n {4}environment:\n((?: {6}.+\n)+)/.exec(compose) ?? []
  const lines = [...block.matchAll(/^ {6}(\w+): (.+)$/gm)]
  return Object.fromEntries(
    lines.map(([, name = '', value = '']) => [
      name,
      value
        .replace(/\$\{(\w+)[^}]*\}/g, (_, variable: string) => values[variable] ?? '')
        .replaceAll('"', ''),
    ]),
  )
}

test('the image runs as a plain user, keeps data in a volume, and holds no secret', () => {
  expect(instructions('USER')).toEqual(['node'])
  expect(instructions('VOLUME')).toEqual(['/data'])
  for (const text of [dockerfile, compose]) {
    expect(text).not.toMatch(/pi_sk_|\bk\d:[\w-]{43}/)
    for (const [, value = ''] of text.matchAll(/(?:PASSWORD|SECRET_KEYS)[:=] ?(\S+)/g)) {
      expect(value).toMatch(/^\$\{\w+/)
    }
  }
})

test('the steps of the image, run here one after the other, lead to a healthy service on PostgreSQL', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pi-image-'))
  const server = await startTemporaryPostgres({ fsync: 'off' })
  const port = await freePort(2)
  // Where the image has its own folders, user and port, this machine has others.
  const here = (step: string): string =>
    step
      .replaceAll(/(?<=\s)\/(service|data)\b/g, `${folder}/$1`)
      .replace('-o node -g node', `-o ${userInfo().uid} -g ${userInfo().gid}`)
      .replaceAll(':4000', `:${port}`)
  for (const step of instructions('RUN')) {
    await shell('sh', ['-c', here(step)], { cwd: root, maxBuffer: 1e7 })
  }

  const env = {
    ...Object.fromEntries(instructions('ENV').flatMap((line) => line.split(' ').map(splitPair))),
    ...environmentOf({ POSTGRES_PASSWORD: 'none', PI_SECRET_KEYS: newSecretKeys() }),
    PI_DATABASE_URL: server.url,
    PI_PORT: String(port),
  }
  const [program = '', ...args] = JSON.parse(instructions('CMD')[0] ?? '') as string[]
  const child = spawn(program, [...args, '--json'], {
    cwd: join(folder, 'service'),
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(() =>
      Promise.reject(new Error('The service ended at once; see above')),
    ),
  ])
  const { baseUrl, apiKey } = JSON.parse(String(line)) as { baseUrl: string; apiKey: string }
  expect((await create({ url: baseUrl, apiKey })).status).toBe(201)
  const [, health = ''] = / CMD (.+)$/.exec(instructions('HEALTHCHECK')[0] ?? '') ?? []
  await shell('sh', ['-c', here(health)])

  child.kill('SIGTERM')
  expect((await once(child, 'exit'))[0]).toBe(0)
  await expect(shell('sh', ['-c', here(health)])).rejects.toMatchObject({ code: 1 })
  await server.stop()
  await rm(folder, { recursive: true })
})

function splitPair(pair: string): [string, string] {
  const [name = '', value = ''] = pair.split('=')
  return [name, value]
}
