/**
 * Bytes over the wire: our self-contained file beside what peers' customers bundle.
 *
 * @module
 */
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build, type InlineConfig, type Rolldown } from 'vite'
import { type Row, rowOf } from '../../../.ci/bench/row.ts'
import {
  besidePeer,
  budget,
  type Format,
  formats,
  type Peer,
  peers,
  withinBudget,
} from './table.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A file's size on the wire. */
interface Size {
  readonly what: string
  readonly gzip: number
  readonly brotli: number
}

/** Builds our file and every peer's as Vite does by default, and compares what a buyer downloads. */
export async function measureSizes(): Promise<{
  readonly rows: readonly Row[]
  readonly runs: readonly Size[]
}> {
  const ours = sizeOf('self-contained file', await bundle({ configFile: `${root}/vite.config.ts` }))
  const theirs = new Map<Peer, Size>()
  for (const [name, code] of Object.entries(peers) as [Peer, string][]) {
    theirs.set(name, sizeOf(name, await bundle(peerConfig(code))))
  }
  const compare = (peer: Peer, size: Size, format: Format): Row =>
    rowOf(besidePeer(peer, format), [{ ours: ours[format], baseline: size[format] }])
  const rows = formats.flatMap((format) =>
    [...theirs].map(([peer, size]) => compare(peer, size, format)),
  )
  return {
    rows: [rowOf(withinBudget, [{ ours: ours.gzip, baseline: budget }]), ...rows],
    runs: [ours, ...theirs.values()],
  }
}

function peerConfig(code: string): InlineConfig {
  // A file that is not there, beside our own: bare imports resolve from it.
  const id = `${root}peer.js`
  return {
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
    root,
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
