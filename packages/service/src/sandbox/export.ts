/**
 * Exports test environments and their intents as JSON, in parts that are small enough to import.
 *
 * An export contains no API keys and no `clientSecret`. After an import into the same service, secrets and
 * replays are still valid.
 *
 * @module
 */
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { StoreAndClock } from '../intents/intents.ts'
import { allIntents, testEnvironments } from './intent-details.ts'

/** Size of a part in characters. An import accepts 512 KB, and a character may have three bytes. */
const partLength = 100_000

/** Writes the part after an intent. Its `next` is the `after` of the next part, or `null`. */
export async function writeExport(store: StoreAndClock, out: Writable, after = ''): Promise<void> {
  const environments = (await testEnvironments(store.db)).map(
    ({ id, merchantName: merchant, allowedOrigins, clockOffset }) => {
      return { id, merchant, allowedOrigins, clockOffset }
    },
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
    // Wait for a slow reader, and stop if it has disconnected.
    if (out.destroyed) return
    if (out.writableNeedDrain) await Promise.race([once(out, 'drain'), once(out, 'close')])
  }
  end(out, null)
}

function end(out: Writable, next: string | null): void {
  out.end(`\n],"next":${JSON.stringify(next)}}\n`)
}
