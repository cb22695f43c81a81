/** Servers of the benchmark, each in a separate process. @module */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { startSite } from '@pi-checkout/test-support/sites'

/** What a server sends when it is ready. */
export interface Ready {
  readonly port: number
  readonly apiKey: string
}

/** Starts a file of this folder. It exits with this process, or when it is disconnected. */
export async function startChild(
  file: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Ready & { readonly child: ChildProcess }> {
  const child = fork(join(import.meta.dirname, file), args, { env: { ...process.env, ...env } })
  child.once('exit', (code) => {
    if (code) throw new Error(`${file} ${args.join(' ')} exited with ${code}.`)
  })
  const [ready] = (await once(child, 'message')) as [Ready]
  return { ...ready, child }
}

/** In the child: listens, and sends the port to the parent. */
export async function listen(listener: RequestListener, apiKey = 'bench-key'): Promise<void> {
  process.on('disconnect', () => process.exit())
  const { port } = await startSite(listener)
  process.send?.({ port, apiKey } satisfies Ready)
}
