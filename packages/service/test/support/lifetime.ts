/** What a test or a file starts and creates, and what ends it automatically. @module */
import { mkdtempSync, rmSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTemporaryPostgres } from '@pi-checkout/test-support/postgres'
import { startSite } from '@pi-checkout/test-support/sites'
import pg from 'pg'
import { afterAll, onTestFinished, TestRunner } from 'vitest'
import { newSecretKey } from '../../src/secret-keys.ts'

/**
 * Runs `end` once: after the running test, or after the file if it is called outside of tests and hooks. The last
 * one runs first.
 *
 * @returns Runs it earlier.
 */
export function atEnd(end: () => unknown): () => Promise<void> {
  let ended: Promise<unknown> | undefined
  const endOnce = async (): Promise<void> => {
    ended ??= Promise.resolve(end())
    await ended
  }
  const hook = TestRunner.getCurrentTest() ? onTestFinished : afterAll
  hook(endOnce)
  return endOnce
}

/** Creates a folder. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pi-service-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a PostgreSQL server that does not sync, with these settings. `env` is that of a service which uses it. */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}) {
  const server = await startTemporaryPostgres({ fsync: 'off', ...settings })
  atEnd(server.stop)
  return { ...server, env: { PI_DATABASE_URL: server.url, PI_SECRET_KEY: newSecretKey() } }
}

/** Opens a connection of an operator or another program. */
export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  // The server may be stopped first.
  client.on('error', () => {})
  await client.connect()
  atEnd(() => client.end())
  return client
}

/** Starts a server, and returns its origin. */
export async function serve(listener: RequestListener): Promise<string> {
  const site = await startSite(listener)
  atEnd(site.close)
  return site.origin
}
