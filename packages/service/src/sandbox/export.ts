/**
 * The sandbox as one JSON text: test environments and their intents, to look at or to import again.
 *
 * It holds no key and no `clientSecret`. Back in the same service secrets and replays still hold. It
 * comes in parts, each small enough to be imported again.
 *
 * @module
 */
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { StoreAndClock } from '../intents/intents.ts'
import { allIntents, testEnvironments } from './intent-details.ts'

/** Where a part ends, in characters: an import takes 512 KB, and a character may be three bytes. */
const partLength = 100_000

/**
 * Writes a part of the export, page by page. At its end stands `next`: the part that follows begins
 * after that intent; `null` ends the last one.
 *
 * @param after Id of an intent: the part begins with the one that follows it in the order of ids.
 */
export async function writeExport(store: StoreAndClock, out: Writable, after = ''): Promise<void> {
  const environments = (await testEnvironments(store.db)).map(
    ({ id, merchantName, allowedOrigins, clockOffset }) => ({
      id,
      merchant: merchantName,
      allowedOrigins,
      clockOffset,
    }),
  )
  const head = JSON.stringify({ version: 1, exportedAt: store.now(), environments })
  out.write(`${head.slice(0, -1)},"intents":[`)
  let last: string | null = null
  let length = 0
  for await (const page of allIntents(store, after)) {
    for (const { intent, ...more } of page) {
      if (length >= partLength) {
        end(out, last)
        return
      }
      const text = JSON.stringify({ ...intent, ...more })
      out.write(`${last === null ? '' : ','}\n${text}`)
      length += text.length
      last = intent.id
    }
    // The reader sets the pace; one that has gone ends the work.
    if (out.destroyed) return
    if (out.writableNeedDrain) await Promise.race([once(out, 'drain'), once(out, 'close')])
  }
  end(out, null)
}

function end(out: Writable, next: string | null): void {
  out.end(`\n],"next":${JSON.stringify(next)}}\n`)
}
