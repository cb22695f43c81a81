/**
 * The sandbox of one instance: what it remembers of requests, what it found wrong with them, and who
 * is told of changes.
 *
 * @module
 */
import type { Context } from '../context.ts'
import type { Queryable } from '../db/database.ts'
import { logError } from '../log.ts'
import { findEnvironment, findEnvironmentOfIntent } from '../merchants/environments.ts'
import { type Changes, changes } from './changes.ts'
import { type Journal, journal } from './journal.ts'
import { type Lint, lint } from './lint.ts'
import type { Note } from './note.ts'

/** The memory of one instance's sandbox. */
export interface Sandbox {
  readonly changes: Changes
  readonly journal: Journal
  readonly lint: Lint
}

/** Makes the sandbox of one instance. */
export function makeSandbox(context: Context): Sandbox {
  const { db, now, log, publicUrl } = context
  const told = changes()
  const findings = lint(() => told.announce('lint'))
  const notice = (note: Note): void => {
    findings.check(note)
    const { origin } = note
    if (origin === undefined || origin === publicUrl) return
    checkOrigin(db, { note, origin, findings }).catch((error: unknown) => {
      logError(log, error, { event: 'The lint could not look at a page', level: 'warn' })
    })
  }
  const findPage = async (id: string) => await findEnvironmentOfIntent(db, id)
  return {
    changes: told,
    journal: journal({ now, changes: told, findEnvironment: findPage, notice }),
    lint: findings,
  }
}

/** A page that asks for a checkout which its environment does not let it show. */
async function checkOrigin(
  db: Queryable,
  {
    note,
    origin,
    findings,
  }: { readonly note: Note; readonly origin: string; readonly findings: Lint },
): Promise<void> {
  const environment = note.environment && (await findEnvironment(db, note.environment))
  if (!environment || environment.allowedOrigins.includes(origin)) return
  findings.add(note, {
    rule: 'unregistered_origin',
    subject: origin,
    origin,
    detail: `${origin} is not registered for ${environment.merchantName}, so its page sees a refusal.`,
  })
}
