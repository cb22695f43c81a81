/**
 * Transferred bytes: our self-contained file, and what customers of peers bundle.
 *
 * @module
 */
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build, type InlineConfig, type Rolldown } from 'vite'
import {
  budgetRow,
  type ElementPeer,
  elementPeers,
  sizeBudget,
  sizeFormats,
  sizeRow,
} from '../rows.ts'
import { type Measured, rowOf } from '../statistics.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const element = fileURLToPath(new URL('../../element/', import.meta.url))

/** A file's size in bytes. */
interface Size {
  readonly what: string
  readonly gzip: number
  readonly brotli: number
}

/** Builds our file, and each peer's as Vite does by default, and compares what a buyer downloads. */
export async function measureSizes(): Promise<Measured> {
  const config = { root: element, configFile: `${element}vite.config.ts` }
  const ours = sizeOf('self-contained file', await bundle(config))
  const theirs = new Map<ElementPeer, Size>()
  for (const [name, code] of Object.entries(elementPeers) as [ElementPeer, string][]) {
    theirs.set(name, sizeOf(name, await bundle(peerConfig(code))))
  }
  const rows = sizeFormats.flatMap((format) =>
    [...theirs].map(([peer, size]) =>
      rowOf(sizeRow(peer, format), [{ ours: ours[format], baseline: size[format] }]),
    ),
  )
  return {
    rows: [rowOf(budgetRow, [{ ours: ours.gzip, baseline: sizeBudget }]), ...rows],
    figures: [ours, ...theirs.values()],
  }
}

function peerConfig(code: string): InlineConfig {
  // A virtual file in this package: bare imports resolve from here.
  const id = `${here}peer.js`
  return {
    root: here,
    configFile: false,
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [
      {
        name: 'peer',
        resolveId: (source) => (source === id ? id : undefined),
        load: (source) => (source === id ? code : undefined),
      },
    ],
    build: {
      lib: { entry: id, formats: ['es'], fileName: () => 'peer.js' },
      rolldownOptions: { output: { minify: true, codeSplitting: false } },
    },
  }
}

async function bundle(config: InlineConfig): Promise<string> {
  const built = await build({
    ...config,
    mode: 'production',
    logLevel: 'silent',
    build: { ...config.build, write: false },
  })
  const output = (built as Rolldown.RolldownOutput[]).flatMap((one) => one.output)
  return output.map((file) => (file.type === 'chunk' ? file.code : '')).join('')
}

function sizeOf(what: string, code: string): Size {
  const gzip = gzipSync(code, { level: 9 }).byteLength
  return { what, gzip, brotli: brotliCompressSync(code).byteLength }
}
