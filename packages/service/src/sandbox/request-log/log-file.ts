/**
 * Keeps the request log in a file, so that it survives a restart. What changed is written in batches, at most once a
 * second and at the end, and never while a request waits. A crash loses the last second.
 *
 * Each line is an entry. A later line replaces an earlier one of the same number, which was read again.
 *
 * @module
 */
import { type FileHandle, open, readFile, rename } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { logError } from '../../log.ts'
import { codeOf } from '../../system-error.ts'
import { sizeOf } from './bodies.ts'
import type { Exchange, KeptEntry } from './logged-request.ts'
import type { RequestLog } from './request-log.ts'

/** Name of the file. Another form of the entries needs another name. */
export const logFileName = 'requests-2.jsonl'

/** Restores a log from its file, and writes its changes there. Returns the function that ends with the last write. */
export async function keepLog(
  path: string,
  { requestLog, log }: { readonly requestLog: RequestLog; readonly log: Logger },
): Promise<() => Promise<void>> {
  const restored = await readEntries(path).catch((error: unknown) => {
    logError(log, error, { event: 'Cannot read the request log', level: 'warn' })
    return []
  })
  requestLog.restore(restored)
  const ending = new AbortController()
  let file: FileHandle | undefined
  /** Length of the file, and that from which it is written anew. */
  let bytes = 0
  let maxBytes = 0
  // The first write begins a new file, which has no line that a crash cut off.
  let written = -1

  async function write(): Promise<void> {
    const { entries, isWhole, revision } = requestLog.changes(bytes > maxBytes ? -1 : written)
    if (revision === Math.max(written, 0)) return
    if (isWhole) {
      await file?.close()
      file = await open(`${path}.new`, 'w', 0o600)
      bytes = 0
    }
    // In slices, because each blocks the thread.
    for (let at = 0; at < entries.length; at += sliceLength) {
      const lines = entries.slice(at, at + sliceLength).map(lineOf)
      const text = Buffer.from(lines.join(''))
      await file?.writeFile(text)
      bytes += text.length
    }
    if (isWhole) {
      await rename(`${path}.new`, path)
      maxBytes = minBytes + 2 * bytes
    }
    written = revision
  }

  async function work(): Promise<void> {
    for (;;) {
      await sleep(interval, undefined, { signal: ending.signal }).catch(() => {})
      // Read first, so that nothing is left when it ends.
      const isLast = ending.signal.aborted
      try {
        await write()
      } catch (error) {
        logError(log, error, { event: 'Cannot write the request log', level: 'warn' })
        written = -1
      }
      if (isLast) return
    }
  }

  const working = work()
  return async () => {
    ending.abort()
    await working
    await file?.close()
  }
}

/** In milliseconds. */
const interval = 1000
/** The file may have this length, and twice that of its entries. */
const minBytes = 1024 * 1024
const sliceLength = 50

async function readEntries(path: string): Promise<readonly KeptEntry[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  })
  const entries = new Map<number, KeptEntry>()
  for (const line of text.split('\n')) {
    const entry = readEntry(line)
    if (entry) entries.set(entry.number, entry)
  }
  return [...entries.values()]
}

interface StoredEntry extends Omit<KeptEntry, 'exchange'> {
  readonly exchange: Exchange
}

function lineOf(entry: KeptEntry): string {
  const stored: StoredEntry = { ...entry, exchange: entry.exchange() }
  return `${JSON.stringify(stored)}\n`
}

/** Returns `undefined` for a line that a crash cut off, or another program wrote. */
function readEntry(line: string): KeptEntry | undefined {
  try {
    const entry = JSON.parse(line) as StoredEntry
    if (!isEntry(entry)) return undefined
    const { at, exchange } = entry
    return { ...entry, at: new Date(at), exchange: () => exchange, bytes: sizeOf(exchange) }
  } catch {
    return undefined
  }
}

function isEntry({ number, at, path, faults, exchange }: StoredEntry): boolean {
  return (
    Number.isSafeInteger(number) &&
    Number.isFinite(new Date(at).getTime()) &&
    typeof path === 'string' &&
    Array.isArray(faults) &&
    Object(exchange) === exchange
  )
}
