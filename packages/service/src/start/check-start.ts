/** Checks whether a start would succeed, with the code of a start. Changes nothing. @module */
import { createServer } from 'node:http'
import { type Config, type Flags, readConfig } from '../config.ts'
import { listenBoth } from '../http/server.ts'
import { readSecretKey } from '../secret-keys.ts'
import { containsStore, lockDirectory, readKeyFile } from '../store/data-directory.ts'
import { hasTables } from '../store/migrate.ts'
import { assertKey, configuredKey, openDatabase } from './open-store.ts'
import { startProblem } from './start-problem.ts'

/** Output of `start --check --json`. */
export interface StartCheck {
  readonly ok: boolean
  readonly passed: readonly string[]
  /** Why a start fails. Each text has its fix. */
  readonly problems: readonly string[]
}

export async function checkStart(flags: Flags, env: NodeJS.ProcessEnv): Promise<StartCheck> {
  const passed: string[] = []
  const problems: string[] = []
  /** Runs a check. What a start would throw is its problem. */
  const attempt = async <Result>(check: () => Result | Promise<Result>) => {
    try {
      return await check()
    } catch (error) {
      const problem = startProblem(error)
      if (problem === undefined) throw error
      problems.push(...problem.split('\n'))
      return undefined
    }
  }
  const config = await attempt(() => readConfig(flags, env))
  if (config) {
    passed.push('The settings are valid.')
    for (const check of [checkPorts, checkStore]) {
      const found = await attempt(async () => await check(config))
      if (found !== undefined) passed.push(found)
    }
  }
  return { ok: problems.length === 0, passed, problems }
}

/** Opens and closes both ports. */
async function checkPorts(config: Config): Promise<string> {
  const servers = [createServer(), createServer()] as const
  try {
    await listenBoth(servers, config)
    if (config.port === 0) return 'Free ports are found at the start.'
    return `The ports ${config.port} and ${config.challengePort} of ${config.host} are free.`
  } finally {
    for (const server of servers) server.close()
  }
}

async function checkStore(config: Config): Promise<string> {
  const { store } = config
  const configured = configuredKey(config)
  let release = (): void => {}
  if (store.kind === 'directory') {
    // A directory that was created here could belong to another user than that of the service.
    if (!(await containsStore(store.directory))) {
      return `The first start creates the store in ${store.directory}.`
    }
    release = await lockDirectory(store.directory)
  }
  try {
    const file = store.kind === 'directory' ? await readKeyFile(store.directory) : undefined
    const keys = configured ?? (file === undefined ? undefined : readSecretKey(file))
    const db = await openDatabase(store)
    try {
      await db.probe()
      if (!(await hasTables(db))) return 'The store opens, and the first start creates its tables.'
      if (keys) await assertKey(db, keys)
    } finally {
      await db.close()
    }
    return 'The store opens, and the secret key is that of its rows.'
  } finally {
    release()
  }
}
