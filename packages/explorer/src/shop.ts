/** The shop as a process: started, waited for, killed, and read. @module */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { SetupError } from './setup-error.ts'
import { within } from './within.ts'

/** Longest time until a shop responds, in milliseconds. */
const longestStart = 30_000

/** Longest time until a killed shop has closed its port, in milliseconds. */
const longestEnd = 2000

/** Lines of the shop's output that a sequence keeps. */
const maxLines = 10_000

export interface ShopOptions {
  /** Program and arguments. */
  readonly command: readonly string[]
  /** Where it responds. */
  readonly url: string
  readonly variables: NodeJS.ProcessEnv
  /** Called with what it printed, if it exits by itself. */
  readonly onExit: (lines: readonly string[]) => void
}

export class Shop {
  /** What it printed. */
  readonly lines: string[] = []
  readonly #options: ShopOptions
  #child: ChildProcess | undefined

  constructor(options: ShopOptions) {
    this.#options = options
  }

  get url(): string {
    return this.#options.url
  }

  /** Kills it as a power cut does. */
  async stop(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (!child || isOver(child)) return
    // What it started may end a moment later. What has left its process group is not waited for.
    const closed = once(child, 'close', { signal: AbortSignal.timeout(longestEnd) })
    kill(child)
    await closed.catch(() => {})
  }

  /** Kills it, and waits for nothing. */
  kill(): void {
    if (this.#child && !isOver(this.#child)) kill(this.#child)
  }

  /** @throws {SetupError} If it exits, or does not respond in time. */
  async start(): Promise<void> {
    const { command, url } = this.#options
    const [program = '', ...args] = command
    const child = this.#spawn(program, args)
    let failure: Error | undefined
    child.once('error', (error) => {
      failure = error
    })
    const startedAt = performance.now()
    const elapsed = (): number => performance.now() - startedAt
    // A shop may never respond to a request that came while it started, so it is asked again, later for longer.
    while (!(await responds(url, Math.max(200, Math.round(elapsed() / 2))))) {
      if (failure) throw new SetupError(`Cannot run ${program}: ${failure.message}`)
      if (isOver(child)) {
        await sleep(50)
        throw new SetupError(`The shop exited before it responded:\n${this.lines.join('\n')}`)
      }
      if (elapsed() > longestStart) {
        const hint = 'Let it listen on PORT, or set its own variable by env() of an adapter.'
        throw new SetupError(`The shop does not respond at ${url}. ${hint}`)
      }
      // Each request takes time of the processor on which the shop starts.
      await sleep(20 + elapsed() / 10)
    }
  }

  #spawn(program: string, args: readonly string[]): ChildProcess {
    const { variables, onExit } = this.#options
    const child = spawn(program, args, {
      env: variables,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A new process group, so that a shell or a package manager ends with what it started. Ctrl-C does not reach it.
      detached: true,
    })
    this.#child = child
    // It has then printed all lines.
    child.once('close', () => {
      if (this.#child === child) onExit(this.lines)
    })
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        if (this.lines.length < maxLines) this.lines.push(line)
      })
    }
    return child
  }
}

async function responds(url: string, timeout: number): Promise<boolean> {
  try {
    await within(timeout, async (signal) => {
      const response = await fetch(url, { redirect: 'manual', signal })
      await response.arrayBuffer()
    })
    return true
  } catch {
    return false
  }
}

function isOver({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

function kill(child: ChildProcess): void {
  try {
    if (child.pid) process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}
