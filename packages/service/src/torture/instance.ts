/**
 * One service as a process of its own, to be killed and started again.
 *
 * @module
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { z } from 'zod'

/** A running instance. */
export interface Instance {
  readonly url: string
  /** `null` where another instance has shown the key. */
  readonly apiKey: string | null
  /** Sends the signal and waits for the end. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
}

/**
 * Starts an instance with this very command line's program.
 *
 * @throws {Error} It did not become ready; its own words follow.
 */
export async function startInstance(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Instance> {
  const program = process.argv[1] ?? ''
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(
    process.execPath,
    [...process.execArgv, program, 'start', '--json', '--port', '0', ...args],
    { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const ended = once(child, 'exit')
  const complaints = text(child.stderr)
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    child.kill(signal)
    await ended
  }
  try {
    const line = await Promise.race([
      once(createInterface(child.stdout), 'line').then(([first]) => String(first)),
      ended.then(async () => {
        throw new Error(`An instance did not start: ${await complaints}`)
      }),
    ])
    const { baseUrl, apiKey } = Ready.parse(JSON.parse(line))
    return { url: baseUrl, apiKey, end }
  } catch (error) {
    await end('SIGKILL')
    throw error
  }
}

const Ready = z.object({ baseUrl: z.string(), apiKey: z.string().nullable() })
