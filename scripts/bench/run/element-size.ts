/** Transferred bytes: our self-contained file, and what customers of peers bundle. @module */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'
import type { Samples } from '../samples.ts'

const here = import.meta.dirname

/** What Adyen's guide tells a shop to import. */
const peer = "export { AdyenCheckout, Card, Dropin } from '@adyen/adyen-web'"

/** Compares our built file with the peer's, as Vite builds it by default: what a buyer downloads. */
export async function measure(samples: Samples): Promise<void> {
  const own = readFileSync(join(here, '../../../packages/element/dist/pi-checkout.js'))
  const record = (name: string, code: string | Buffer) =>
    samples.record(name, { gzip: gzipSync(code, { level: 9 }).byteLength })
  record('self-contained file', own)
  record('Adyen Drop-in', await bundledPeer())
}

async function bundledPeer(): Promise<string> {
  // A virtual file in this package: bare imports resolve from here.
  const id = join(here, 'peer.js')
  const built = await build({
    root: here,
    configFile: false,
    mode: 'production',
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [
      {
        name: 'peer',
        resolveId: (source) => (source === id ? id : undefined),
        load: (source) => (source === id ? peer : undefined),
      },
    ],
    build: {
      lib: { entry: id, formats: ['es'], fileName: () => 'peer.js' },
      rolldownOptions: { output: { minify: true, codeSplitting: false } },
      write: false,
    },
  })
  const output = (built as Rolldown.RolldownOutput[]).flatMap((one) => one.output)
  return output.map((file) => (file.type === 'chunk' ? file.code : '')).join('')
}
