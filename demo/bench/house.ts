/**
 * The built service and the built shop as `npm start` runs them, on free ports and their own data.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface House {
  readonly shopUrl: string
  readonly checkoutUrl: string
  stop(): Promise<void>
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const piService = 'packages/service/bin/pi-service.mjs'

export async function startHouse(data: string): Promise<House> {
  const store = ['--data', `${data}/service`]
  const service = await start([piService, 'start', '--json', '--port', '0', ...store])
  const { baseUrl = '', apiKey = '', checkoutOrigin = '' } = service.ready
  const shop = await start(['demo/dist/server/main.js', '--json'], {
    PORT: '0',
    PI_API_KEY: apiKey,
    PI_BASE_URL: baseUrl,
    PI_CHECKOUT_ORIGIN: checkoutOrigin,
    PI_HANDOFF_KEYS: `k1:${Buffer.alloc(32, 'key of the tests').toString('base64url')}`,
    PI_SHOP_DATA: `${data}/shop`,
  })
  const { shopUrl = '' } = shop.ready
  return {
    shopUrl,
    checkoutUrl: checkoutOrigin,
    async stop() {
      await shop.stop()
      await service.stop()
    },
  }
}

/** Lets the checkout be shown by this shop: `npm start` has its usual port registered already. */
export async function registerShop(data: string, shopUrl: string): Promise<void> {
  const child = run([piService, 'origins', 'add', shopUrl, '--data', `${data}/service`], {})
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the shop could not be registered (${code})`)
}

interface Program {
  readonly ready: Readonly<Record<string, string>>
  stop(): Promise<void>
}

async function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Program> {
  const child = run(args, env)
  if (!child.stdout) throw new Error('the program has no output to read')
  const lines = createInterface({ input: child.stdout })
  const ready = new Promise<Program['ready']>((resolve, reject) => {
    lines.on('line', (line) => line.startsWith('{') && resolve(JSON.parse(line)))
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code} at its start`)))
  })
  return {
    ready: await ready,
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}

function run(args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}
