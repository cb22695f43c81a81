/**
 * Bytes over the wire: our self-contained file beside what peers' customers bundle.
 *
 * @module
 */
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build, type InlineConfig, type Rolldown } from 'vite'
import type { Row } from './main.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const budget = 10_000

// What their own guides tell a shop to import, bundled as Vite does by default.
const peers = {
  'Adyen Drop-in': "export { AdyenCheckout, Card, Dropin } from '@adyen/adyen-web'",
  'Braintree Drop-in': "export { default } from 'braintree-web-drop-in'",
  zoid: "export { default } from 'zoid'",
  penpal: "export * from 'penpal'",
} as const

export async function measureSizes(): Promise<Row[]> {
  const file = await bundle({ configFile: `${root}/vite.config.ts` })
  const ours = { gzip: gzip(file), brotli: brotli(file) }
  const rows = [row('self-contained file', 'gzip', ours.gzip, 'its budget', budget)]
  for (const [name, code] of Object.entries(peers)) {
    const theirs = await bundle(peerConfig(code))
    // penpal is a messenger alone, without element, frame, states or texts: no target is set by it.
    const target = name === 'penpal' ? Number.POSITIVE_INFINITY : 1
    rows.push(row('self-contained file', 'gzip', ours.gzip, name, gzip(theirs), target))
    rows.push(row('self-contained file', 'brotli', ours.brotli, name, brotli(theirs), target))
  }
  return rows
}

function row(
  what: string,
  format: string,
  ours: number,
  against: string,
  baseline: number,
  target = 1,
): Row {
  const ratio = Math.round((ours / baseline) * 1000) / 1000
  return { what: `${what}, ${format}`, against, ours, baseline, unit: 'bytes', ratio, target }
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

function gzip(code: string): number {
  return gzipSync(code, { level: 9 }).byteLength
}

function brotli(code: string): number {
  return brotliCompressSync(code).byteLength
}
