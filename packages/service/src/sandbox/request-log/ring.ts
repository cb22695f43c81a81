/** The newest entries of one kind, of which the newest have their bodies. @module */
import { sizeOf } from './bodies.ts'
import type { KeptEntry, LogEntry } from './logged-request.ts'

export function createRing({
  entries: maxEntries,
  bytes: maxBytes,
}: {
  readonly entries: number
  /** Maximum size of all bodies together. The oldest are dropped first, without their entries. */
  readonly bytes: number
}) {
  let kept: KeptEntry[] = []
  let bytes = 0

  function dropBodies(entry: KeptEntry): void {
    bytes -= sizeOf(entry.exchange)
    entry.exchange = { ...entry.exchange, requestBody: null, responseBody: null, isExact: false }
  }

  return {
    add: (entry: KeptEntry): void => {
      kept.push(entry)
      bytes += sizeOf(entry.exchange)
      const first = kept.length > maxEntries ? kept.shift() : undefined
      if (first) dropBodies(first)
      for (const older of kept) {
        if (bytes <= maxBytes) return
        if (sizeOf(older.exchange) > 0) dropBodies(older)
      }
    },
    /** Entries, the oldest first. */
    entries: (): readonly KeptEntry[] => kept,
    removeIf: (isRemoved: (entry: LogEntry) => boolean): void => {
      for (const entry of kept.filter(isRemoved)) dropBodies(entry)
      kept = kept.filter((entry) => !isRemoved(entry))
    },
  }
}
