/** The examples as running shops, registered at a service. @module */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.ts'
import { type StartedProgram, startProgram } from './process.ts'
import { control, environmentPath } from './sandbox.ts'
import { type ServiceReady, variablesOf } from './stack.ts'

export const examples = fileURLToPath(new URL('../../../demo/examples/', import.meta.url))

/** How Node.js runs an example with the sources of the packages. */
export function argumentsFor(name: string): string[] {
  return ['--import', 'tsx', '--conditions=source', join(examples, name)]
}

/** Starts an example on a free port, whose origin it registers. */
export async function startExample(
  api: ServiceReady,
  name: string,
): Promise<StartedProgram & { readonly shop: string }> {
  const port = await freePort()
  await register(api, `http://localhost:${port}`)
  const env = { ...variablesOf(api), PORT: String(port) }
  const started = await startProgram(argumentsFor(name), { env })
  return { ...started, shop: started.line }
}

/** Registers the origin of a shop in the first environment. */
export async function register(api: ServiceReady, origin: string): Promise<void> {
  await control({ api }, `${await environmentPath({ api })}/origins`, { origin })
}
