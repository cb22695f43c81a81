/** Servers of the benchmark, each in a separate process. @module */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { startSite } from '@pi-checkout/test-support/sites'

/** Starts a file of this folder. It exits with this process, or when it is disconnected. */
export async function startChild(
  file: string,
  args: readonly string[] = [],
): Promise<{ readonly port: number; readonly child: ChildProcess }> {
  const child = fork(join(import.meta.dirname, file), args)
  child.once('exit', (code) => {
    if (code) throw new Error(`${file} ${args.join(' ')} exited with ${code}.`)
  })
  const [port] = (await once(child, 'message')) as [number]
  return { port, child }
}

/** In the child: listens, and sends the port to the parent. */
export async function listen(listener: RequestListener): Promise<void> {
  process.on('disconnect', () => process.exit())
  const { port } = await startSite(listener)
  process.send?.(port)
}
