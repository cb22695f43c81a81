/** The shop of a sequence: a process with a folder and a clock, which is started, waited for, and killed. @module */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Adapter } from './adapter.ts'
import { SetupError } from './setup-error.ts'
import { clockVariables } from './shop-clock.ts'
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
  readonly origin: string
  readonly env: Adapter['env']
  /** Of the service. They replace those of the adapter. */
  readonly variables: Readonly<Record<string, string>>
  /** Ends it with the search. */
  readonly signal: AbortSignal
  /** Called with the reason, if it exits by itself. */
  readonly onExit: (reason: string) => void
}

export class Shop {
  readonly origin: string
  /** What it printed. */
  readonly lines: string[] = []
  readonly #options: ShopOptions
  readonly #folder = mkdtempSync(join(tmpdir(), 'pi-explore-'))
  readonly #data = join(this.#folder, 'data')
  readonly #clock = join(this.#folder, 'clock')
  #minutes = 0
  #child: ChildProcess | undefined

  constructor(options: ShopOptions) {
    this.origin = options.origin
    this.#options = options
    mkdirSync(this.#data)
    this.wait(0)
    options.signal.addEventListener('abort', this.#discard)
    process.once('exit', this.#discard)
  }

  /** @throws {SetupError} If it exits, or does not respond in time. */
  async start(): Promise<void> {
    const [program = '', ...args] = this.#options.command
    const child = this.#spawn(program, args)
    let failure: Error | undefined
    child.once('error', (error) => {
      failure = error
    })
    const startedAt = performance.now()
    const elapsed = (): number => performance.now() - startedAt
    // A shop may never respond to a request that came while it started, so it is asked again, later for longer.
    while (!(await responds(this.origin, Math.max(200, Math.round(elapsed() / 2))))) {
      if (failure) throw new SetupError(`Cannot run ${program}: ${failure.message}`)
      if (isOver(child)) {
        await sleep(50)
        throw new SetupError(`The shop exited before it responded:\n${this.lines.join('\n')}`)
      }
      if (elapsed() > longestStart) {
        const hint = 'Let it listen on PORT, or set its own variable by env() of an adapter.'
        throw new SetupError(`The shop does not respond at ${this.origin}. ${hint}`)
      }
      // Each request takes time of the processor on which the shop starts.
      await sleep(20 + elapsed() / 10)
    }
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

  /** Kills it, and starts it again. */
  async restart(): Promise<void> {
    const { onExit } = this.#options
    try {
      await this.stop()
      await this.start()
    } catch (error) {
      if (!(error instanceof SetupError)) throw error
      onExit(`After it was killed: ${error.message}`)
    }
  }

  /** Lets minutes pass at the shop. */
  wait(minutes: number): void {
    this.#minutes += minutes
    writeFileSync(this.#clock, String(this.#minutes * 60_000))
  }

  /** Kills it for good, and removes its folder. */
  async end(): Promise<void> {
    await this.stop()
    this.#options.signal.removeEventListener('abort', this.#discard)
    process.off('exit', this.#discard)
    this.#discard()
  }

  /** Leaves no process and no folder, whatever ends the search. */
  readonly #discard = (): void => {
    if (this.#child && !isOver(this.#child)) kill(this.#child)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #spawn(program: string, args: readonly string[]): ChildProcess {
    const { origin, env, variables, signal, onExit } = this.#options
    // Nothing would kill a shop that starts after the search has ended.
    signal.throwIfAborted()
    const child = spawn(program, args, {
      env: {
        ...process.env,
        ...clockVariables(this.#clock),
        PORT: new URL(origin).port,
        ...env?.({ folder: this.#data, origin }),
        ...variables,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A new process group, so that a shell or a package manager ends with what it started. Ctrl-C does not reach it.
      detached: true,
    })
    this.#child = child
    // It has then printed all lines.
    child.once('close', () => {
      if (this.#child !== child) return
      onExit(`The process ended by itself. Its last lines:\n${this.lines.slice(-8).join('\n')}`)
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
