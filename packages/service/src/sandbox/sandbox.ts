/**
 * The sandbox of one instance: what it remembers of requests, what it found wrong with them, and who
 * is told of changes.
 *
 * @module
 */
import type { Context } from '../context.ts'
import { describe } from '../http/problem.ts'
import { findEnvironmentOfIntent } from '../merchants/environments.ts'
import { type Changes, changes } from './changes.ts'
import { type Exchange, type Journal, journal } from './journal.ts'
import { type Lint, lint } from './lint.ts'

/** The memory of one instance's sandbox. */
export interface Sandbox {
  readonly changes: Changes
  readonly journal: Journal
  readonly lint: Lint
}

/** Makes the sandbox of one instance. */
export function makeSandbox(context: Context): Sandbox {
  const { now, log, publicUrl } = context
  const told = changes()
  const findings = lint(() => told.announce('lint'))
  const notice = (exchange: Exchange): void => {
    findings.check(exchange)
    const { operation, referer } = exchange
    if (operation !== 'page' || referer === null || referer === publicUrl) return
    checkOrigin(context, { exchange, origin: referer, findings }).catch((error: unknown) => {
      log.warn(describe(error), 'The lint could not look at a page')
    })
  }
  return {
    changes: told,
    journal: journal({ now, changes: told, notice }),
    lint: findings,
  }
}

/** A page that asks for a checkout which its environment does not let it show. */
async function checkOrigin(
  { db }: Context,
  {
    exchange,
    origin,
    findings,
  }: { readonly exchange: Exchange; readonly origin: string; readonly findings: Lint },
): Promise<void> {
  const { intentId } = exchange
  const environment = intentId === null ? undefined : await findEnvironmentOfIntent(db, intentId)
  if (environment?.mode !== 'test' || environment.allowedOrigins.includes(origin)) return
  findings.add(
    { ...exchange, environment: environment.id },
    {
      rule: 'unregistered_origin',
      subject: origin,
      origin,
      detail: `${origin} is not registered for ${environment.merchantName}, so its page sees a refusal.`,
    },
  )
}
