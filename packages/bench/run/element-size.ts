/** Transferred bytes: our self-contained file, and what customers of peers bundle. @module */
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build, type InlineConfig, type Rolldown } from 'vite'
import type { Samples } from '../samples.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const element = fileURLToPath(new URL('../../element/', import.meta.url))

/** What the peers' own guides tell a shop to import. */
const peers = {
  'Adyen Drop-in': "export { AdyenCheckout, Card, Dropin } from '@adyen/adyen-web'",
  'Braintree Drop-in': "export { default } from 'braintree-web-drop-in'",
  "PayPal's zoid": "export { default } from 'zoid'",
  penpal: "export * from 'penpal'",
}

/** Builds our file, and each peer's as Vite does by default, and compares what a buyer downloads. */
export async function measure(samples: Samples): Promise<void> {
  const files = {
    'self-contained file': { root: element, configFile: `${element}vite.config.ts` },
    ...Object.fromEntries(Object.entries(peers).map(([name, code]) => [name, peerConfig(code)])),
  }
  for (const [name, config] of Object.entries(files)) {
    const code = await bundle(config)
    const gzip = gzipSync(code, { level: 9 }).byteLength
    samples.record(name, { gzip, brotli: brotliCompressSync(code).byteLength })
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
