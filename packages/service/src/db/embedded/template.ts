/** An empty database of the build. Unpacking it is faster than initializing one. @module */
import { Blob } from 'node:buffer'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'
import { packageRoot } from '../../package-root.ts'
import { syncFolder, writeSynced } from './data-directory.ts'

const file = join(packageRoot, 'dist/template.tgz')

export async function makeTemplate(): Promise<void> {
  const engine = await PGlite.create()
  // The template databases of PostgreSQL are two thirds of the files and are not used.
  await engine.exec('update pg_database set datistemplate = false')
  await engine.exec('drop database template0')
  await engine.exec('drop database template1')
  await engine.exec('checkpoint')
  const packed = await engine.dumpDataDir('gzip')
  await engine.close()
  await mkdir(dirname(file), { recursive: true })
  const part = `${file}.${process.pid}`
  await writeFile(part, Buffer.from(await packed.arrayBuffer()))
  await rename(part, file)
}

/** Returns the template for a store in memory, or `undefined` if the package is not built. */
export async function templateBlob(): Promise<Blob | undefined> {
  try {
    // Read at once, because a blob of the file cannot be read after a build has replaced the file.
    return new Blob([await readFile(file)])
  } catch {
    return undefined
  }
}

/** Unpacks the template into a missing or empty directory, completely or not at all. */
export async function unpackTemplate(directory: string): Promise<void> {
  const present = await readdir(directory).catch(() => [])
  if (present.length > 0) return
  const packed = await readFile(file).catch(() => undefined)
  if (!packed) return // PGlite initializes the directory, which is slower.
  const created = `${directory}.new`
  await rm(created, { recursive: true, force: true })
  await mkdir(created, { recursive: true, mode: 0o700 })
  const all = [...tarEntries(await promisify(gunzip)(packed))]
  for (const { name, content } of all) {
    if (!content) await mkdir(join(created, name), { recursive: true, mode: 0o700 })
  }
  // Write files concurrently, so that the file system combines writes of its journal.
  await Promise.all(
    all.map(
      async ({ name, content }) => content && (await writeSynced(join(created, name), content)),
    ),
  )
  const folders = all.flatMap(({ name, content }) => (content ? [] : [join(created, name)]))
  await Promise.all([created, ...folders].map(syncFolder))
  await rm(directory, { recursive: true, force: true })
  await rename(created, directory)
  await syncFolder(dirname(directory))
}

const block = 512

/** Returns the files of a tar archive, and its folders without content. @see POSIX.1-1988, ustar */
function* tarEntries(tar: Buffer): Generator<{ name: string; content: Buffer | undefined }> {
  let at = 0
  while (at + block <= tar.length && tar[at] !== 0) {
    const header = tar.subarray(at, at + block)
    // A path of more than 100 bytes is split into two fields, without the slash between them.
    const prefix = field(header, 345, 155)
    const name = `${prefix}${prefix && '/'}${field(header, 0, 100)}`
    const size = Number.parseInt(field(header, 124, 12), 8)
    const isFolder = field(header, 156, 1) === '5'
    at += block
    yield { name, content: isFolder ? undefined : tar.subarray(at, at + size) }
    at += Math.ceil(size / block) * block
  }
}

function field(header: Buffer, start: number, length: number): string {
  const [text = ''] = header.toString('utf8', start, start + length).split('\0')
  return text
}
