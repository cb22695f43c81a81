// Writes a brotli and a gzip file next to each built script and style.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const folder = new URL('./dist/hosted/', import.meta.url)
for (const name of readdirSync(folder, { recursive: true })) {
  if (!/\.(?:js|css)$/.test(name)) continue
  const file = new URL(name, folder)
  if (!statSync(file).isFile()) continue
  const bytes = readFileSync(file)
  writeFileSync(new URL(`${file}.br`), brotliCompressSync(bytes))
  writeFileSync(new URL(`${file}.gz`), gzipSync(bytes, { level: 9 }))
}
