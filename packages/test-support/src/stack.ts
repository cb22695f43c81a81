/** The built service and the built demo shop as processes, as `npm start` runs them. @module */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { demoShop, piService, runProgram, type StartedProgram, startProgram } from './process.ts'

/** What `pi-service start --json` prints. */
export interface ServiceReady {
  readonly baseUrl: string
  readonly checkoutOrigin: string
  readonly apiKey: string
  readonly inspectorUrl: string
  readonly adminToken: string
}

/** What the shop prints with `--json`. */
export interface ShopReady {
  readonly shopUrl: string
}

/** A program and the JSON that it printed when it was ready. */
export interface Program<Ready> extends StartedProgram {
  readonly ready: Ready
}

export interface Stack {
  readonly service: Program<ServiceReady>
  /** What the service printed when it was ready. */
  readonly api: ServiceReady
  readonly shop: Program<ShopReady>
  readonly shopUrl: string
  /** Folder with all data of both programs. */
  readonly data: string
  /** Runs a command of `pi-service` on the service's store and returns its output. */
  administer(...args: readonly string[]): Promise<string>
  stop(): Promise<void>
}

export interface StackOptions {
  /** @default A free port */
  readonly servicePort?: number
  /** Environment variables of the service. */
  readonly service?: Readonly<Record<string, string>>
  /** Environment variables of the shop. */
  readonly shop?: Readonly<Record<string, string>>
}

/** Returns a new setting `PI_SECRET_KEY`. */
export function newSecretKey(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * Starts a service on a free port. It has the demo merchant.
 *
 * @param args - Further options of `pi-service start`, such as `--memory`.
 */
export async function startService(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Program<ServiceReady>> {
  const command = [piService, 'start', '--json', '--demo', '--port', '0', ...args]
  // Without a drain, which would delay the end of each test with PostgreSQL.
  return await startReady(command, { PI_DRAIN_MS: '0', ...env })
}

/** Returns the variables that connect a shop to a service. */
export function variablesOf({
  apiKey,
  baseUrl,
  checkoutOrigin,
}: ServiceReady): Readonly<Record<string, string>> {
  return { PI_API_KEY: apiKey, PI_BASE_URL: baseUrl, PI_CHECKOUT_ORIGIN: checkoutOrigin }
}

/** Starts a shop; `env` needs the variables that connect it to a service. */
export async function startShop(env: NodeJS.ProcessEnv): Promise<Program<ShopReady>> {
  return await startReady([demoShop, '--json'], env)
}

export async function runPiService(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const { code, output, errors } = await runProgram([piService, ...args], { env })
  if (code !== 0) throw new Error(`pi-service ${args.join(' ')} exited with ${code}:\n${errors}`)
  return output
}

/** Starts a service and a shop whose origin is registered. */
export async function startStack({
  servicePort = 0,
  service: serviceVariables = {},
  shop: ownVariables = {},
}: StackOptions = {}): Promise<Stack> {
  const data = await mkdtemp(join(tmpdir(), 'pi-stack-'))
  const store = ['--data', join(data, 'service')]
  const running: StartedProgram[] = []
  const stop = async (): Promise<void> => {
    // The shop first: it sends requests to the service.
    for (const program of running.splice(0).reverse()) await program.stop()
    await rm(data, { recursive: true, force: true })
  }
  try {
    const { PORT = String(await freePort()), SHOP_ORIGIN = `http://localhost:${PORT}` } =
      ownVariables
    const options = ['--port', String(servicePort), '--shop-origin', SHOP_ORIGIN]
    const service = await startService([...options, ...store], serviceVariables)
    running.push(service)
    const api = service.ready
    const shopVariables = {
      PORT,
      ...variablesOf(api),
      PI_SHOP_DATA: join(data, 'shop'),
      ...ownVariables,
    }
    const shop = await startShop(shopVariables)
    running.push(shop)
    const { shopUrl } = shop.ready
    return {
      service,
      api,
      shop,
      shopUrl,
      data,
      administer: (...args) => runPiService([...args, ...store]),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startReady<Ready>(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Program<Ready>> {
  const program = await startProgram(args, { env })
  return { ...program, ready: JSON.parse(program.line) }
}
