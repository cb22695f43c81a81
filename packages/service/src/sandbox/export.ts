/**
 * The sandbox as one JSON text: test environments and their intents, to look at or to import again.
 *
 * It holds no key and no `clientSecret`. Back in the same service secrets and replays still hold.
 *
 * @module
 */
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Context } from '../context.ts'
import { allIntents, testEnvironments } from './stored.ts'

/** Writes the export page by page, so that its size is bounded by no memory. */
export async function writeExport(
  context: Pick<Context, 'db' | 'now'>,
  out: Writable,
): Promise<void> {
  const environments = (await testEnvironments(context)).map(
    ({ id, merchantName, allowedOrigins, clockOffset }) => ({
      id,
      merchant: merchantName,
      allowedOrigins,
      clockOffset,
    }),
  )
  const head = JSON.stringify({ version: 1, exportedAt: context.now(), environments })
  out.write(`${head.slice(0, -1)},"intents":[`)
  let separator = ''
  for await (const page of allIntents(context)) {
    for (const { intent, ...more } of page) {
      out.write(`${separator}\n${JSON.stringify({ ...intent, ...more })}`)
      separator = ','
    }
    // The reader sets the pace; one that has gone ends the work.
    if (out.destroyed) return
    if (out.writableNeedDrain) await Promise.race([once(out, 'drain'), once(out, 'close')])
  }
  out.end('\n]}\n')
}
