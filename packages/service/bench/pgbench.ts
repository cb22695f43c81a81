/**
 * The baseline of the store: `pgbench` inserting one intent per transaction on the same server.
 *
 * @module
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** The same row that a create writes, with random bytes where it has hashes. */
const insert = `
insert into payment_intents (
  id, environment_id, amount, currency, order_id, secret_salt, secret_kid,
  idempotency_hash, idempotency_fingerprint, idempotency_expires_at,
  expires_at, created_at, updated_at)
values (
  'pi_' || substr(md5(random()::text) , 1, 24), (select id from environments limit 1), 150000, 'AMD',
  'A-1001', decode(md5(random()::text), 'hex'), 'k1',
  sha256(random()::text::bytea), sha256(random()::text::bytea), now() + interval '2 days',
  now() + interval '1 day', now(), now())
on conflict (environment_id, idempotency_hash) do nothing;
`

/** Returns its transactions per second. */
export async function pgbench(
  binaries: string,
  url: string,
  { concurrency, seconds }: { readonly concurrency: number; readonly seconds: number },
): Promise<number> {
  const child = spawn(
    join(binaries, 'pgbench'),
    [
      ...['-n', '-M', 'prepared', '-f', '-', '-c', String(concurrency)],
      ...['-j', '1', '-T', String(Math.max(1, Math.round(seconds))), url],
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  child.stdin.end(insert.replaceAll('\n', ' '))
  const [out] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const [, tps] = /tps = ([\d.]+) \(without/.exec(out) ?? /tps = ([\d.]+)/.exec(out) ?? []
  if (!tps) throw new Error(`pgbench did not say how fast it was: ${out}`)
  return Number(tps)
}
