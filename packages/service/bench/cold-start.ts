/**
 * The built program as a user starts it: how long until it has answered, what it takes while idle.
 *
 * @module
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../bin/pi-service.mjs', import.meta.url))

/** A started service. */
export interface Started {
  /** Seconds from the start of the process to its first answered create. */
  readonly seconds: number
  /** Of the process, now. */
  megabytes(): number
  stop(): Promise<void>
}

/** @param directory Of the embedded store; made when it is missing. */
export async function coldStart(directory: string): Promise<Started> {
  const begin = performance.now()
  const child = spawn(
    process.execPath,
    [program, 'start', '--json', '--port', '0', '--data', directory],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, PI_DATABASE_URL: '' } },
  )
  const { baseUrl, apiKey } = await readyLine(child)
  const answer = await fetch(`${baseUrl}/payment-intents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: '{"amount":150000,"currency":"AMD","orderId":"A-1001"}',
  })
  if (answer.status !== 201) throw new Error(`The first create was answered ${answer.status}`)
  await answer.text()
  return {
    seconds: (performance.now() - begin) / 1000,
    megabytes: () => {
      const size = execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })
      return Math.round(Number(size) / 1024)
    },
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function readyLine(child: ChildProcess): Promise<{ baseUrl: string; apiKey: string }> {
  if (!child.stdout) throw new Error('The output of a started service is not read')
  const lines = createInterface(child.stdout)
  const ended = once(child, 'exit').then(() => {
    throw new Error('The service ended at once; is it built? npm run build')
  })
  const [line] = await Promise.race([once(lines, 'line'), ended])
  return JSON.parse(String(line))
}
