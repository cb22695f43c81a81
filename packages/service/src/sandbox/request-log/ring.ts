/** The newest entries of one kind, of which the newest have their bodies. @module */
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
    bytes -= entry.bytes
    entry.bytes = 0
    const rest = { ...entry.exchange(), requestBody: null, responseBody: null, isExact: false }
    entry.exchange = () => rest
  }

  return {
    /** Returns the entry that was dropped for it. */
    add: (entry: KeptEntry): KeptEntry | undefined => {
      kept.push(entry)
      bytes += entry.bytes
      const first = kept.length > maxEntries ? kept.shift() : undefined
      bytes -= first?.bytes ?? 0
      for (const older of kept) {
        if (bytes <= maxBytes) break
        if (older.bytes > 0) dropBodies(older)
      }
      return first
    },
    /** Entries, the oldest first. */
    entries: (): readonly KeptEntry[] => kept,
    removeIf: (isRemoved: (entry: LogEntry) => boolean): void => {
      kept = kept.filter((entry) => !isRemoved(entry))
      bytes = kept.reduce((sum, entry) => sum + entry.bytes, 0)
    },
  }
}
