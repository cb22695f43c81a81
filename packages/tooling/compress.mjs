// Writes a Brotli and a gzip file next to each script and style of a folder: `node compress.mjs FOLDER`.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv } from 'node:process'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const [, , folder] = argv
for (const name of readdirSync(folder, { recursive: true })) {
  if (!/\.(?:js|css)$/.test(name)) continue
  const file = join(folder, name)
  if (!statSync(file).isFile()) continue
  const bytes = readFileSync(file)
  writeFileSync(`${file}.br`, brotliCompressSync(bytes))
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}
