// A program as a process of its own: started, waited for and ended.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { isBuilt, root } from './built.mjs'

/**
 * @typedef {object} Options
 * @property {string} [command] Default: this Node.
 * @property {string} [cwd] Default: the root of the repository.
 * @property {Readonly<Record<string, string | undefined>>} [env] Beside this process's own variables.
 * @property {boolean} [ipc] Opens a channel for messages.
 * @property {boolean} [detached] A group of its own, which `stop` ends as a whole: for a command that puts
 * a shell around the program.
 *
 * @typedef {object} StartedProgram
 * @property {string} line The first line that it printed.
 * @property {readonly string[]} log Every line so far, errors too.
 * @property {import('node:child_process').ChildProcess} child
 * @property {(signal?: NodeJS.Signals) => Promise<number | null>} stop Sends the signal, `SIGTERM` by
 * default, and waits for the end. Returns the exit status; when it is not 0, the errors are printed.
 *
 * @typedef {object} EndedProgram
 * @property {number | null} code
 * @property {string} output
 * @property {string} errors
 */

const fromSource = ['--import', 'tsx', '--conditions=source']

/** Arguments of Node for `pi-service`. Built it says the same, and starts in a fraction of the time. */
export function piService() {
  if (isBuilt('packages/service')) return [join(root, 'packages/service/bin/pi-service.mjs')]
  return [...fromSource, join(root, 'packages/service/src/cli.ts')]
}

/** Arguments of Node for the demo shop. */
export function demoShop() {
  if (isBuilt('demo')) return [join(root, 'demo/dist/server/main.js')]
  return [...fromSource, join(root, 'demo/server/main.ts')]
}

/**
 * Starts a program and waits for its first line.
 *
 * @param {readonly string[]} args
 * @param {Options} [options]
 * @returns {Promise<StartedProgram>}
 * @throws {Error} It ended before; its own words follow.
 */
export async function startProgram(args, options = {}) {
  const { detached = false } = options
  const child = run(args, options)
  const log = []
  const errors = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.push(line)
    errors.push(line)
  })
  const line = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (said) => {
      log.push(said)
      resolve(said)
    })
    child.once('error', reject)
    child.once('close', (code) => {
      const last = log.join('\n')
      reject(new Error(`${args.join(' ')} ended with ${code} before it was ready:\n${last}`))
    })
  })
  return {
    line,
    log,
    child,
    stop: async (signal = 'SIGTERM') => {
      const code = await stop(child, { signal, detached })
      // Not what it printed when it was ready: that holds keys.
      if (code) console.error(`${args.join(' ')} ended with ${code}:\n${errors.join('\n')}`)
      return code
    },
  }
}

/**
 * Runs a program to its end, whichever that is.
 *
 * @param {readonly string[]} args
 * @param {Options} [options]
 * @returns {Promise<EndedProgram>}
 */
export async function runProgram(args, options = {}) {
  const child = run(args, options)
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, output, errors }
}

function run(
  args,
  { command = process.execPath, cwd = root, env = {}, ipc = false, detached = false },
) {
  return spawn(command, args, {
    cwd,
    detached,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? ['ipc'] : [])],
  })
}

async function stop(child, { signal, detached }) {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'close')
    if (detached) process.kill(-child.pid, signal)
    else child.kill(signal)
    await gone
  }
  return child.exitCode
}
