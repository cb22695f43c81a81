/**
 * The whole house for the browser tests: the real service and the built shop, each a process.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    readonly house: House
  }
}

export interface House {
  readonly shopUrl: string
  readonly adminUrl: string
  readonly baseUrl: string
  readonly apiKey: string
  readonly adminToken: string
}

const root = fileURLToPath(new URL('../../..', import.meta.url))
const children: ChildProcess[] = []

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const data = await mkdtemp(join(tmpdir(), 'shop-house-'))
  const store = ['--data', join(data, 'service')]
  const service = await start([...piService, 'start', '--json', '--port', '0', ...store])
  const shop = await start(['demo/server/main.ts', '--json'], {
    PORT: '0',
    PI_API_KEY: service.apiKey,
    PI_BASE_URL: service.baseUrl,
    PI_CHECKOUT_ORIGIN: service.checkoutOrigin,
    PI_ADMIN_TOKEN: service.adminToken,
    PI_INSPECTOR_URL: service.inspectorUrl,
    PI_HANDOFF_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64url')}`,
    PI_SHOP_DATA: join(data, 'shop'),
  })
  const { shopUrl = '', adminUrl = '' } = shop
  const { baseUrl = '', apiKey = '', adminToken = '' } = service
  await once(run([...piService, 'origins', 'add', shopUrl, ...store]), 'exit')
  project.provide('house', { shopUrl, adminUrl, baseUrl, apiKey, adminToken })

  return async () => {
    for (const child of children) {
      if (child.exitCode !== null) continue
      child.kill()
      await once(child, 'exit')
    }
    await rm(data, { recursive: true, force: true })
  }
}

const piService = ['packages/service/src/cli.ts']

async function start(
  args: readonly string[],
  env: Record<string, string | undefined> = {},
): Promise<Record<string, string>> {
  const { stdout } = run(args, env)
  if (!stdout) throw new Error('the program has no output to read')
  const [line] = await once(createInterface({ input: stdout }), 'line')
  return JSON.parse(line)
}

function run(args: readonly string[], env: Record<string, string | undefined> = {}): ChildProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', '--conditions=source', ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  return child
}
