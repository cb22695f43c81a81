/** Builds the examples' pages as a shop's own Vite would. @module */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { build, type Plugin, type Rolldown } from 'vite'

const folder = fileURLToPath(new URL('../../examples/', import.meta.url))
const require = createRequire(`${folder}package.json`)

/** The script of one example's page. */
export async function scriptOf(entry: string, checkoutOrigin: string): Promise<string> {
  const built = await build({
    configFile: false,
    root: folder,
    logLevel: 'error',
    mode: 'production',
    plugins: [svelte(), vue()],
    // The runner's NODE_ENV is no shop's.
    oxc: { jsx: { development: false } },
    define: {
      'process.env.NODE_ENV': '"production"',
      'import.meta.env.VITE_CHECKOUT_ORIGIN': JSON.stringify(checkoutOrigin),
    },
    resolve: { conditions: ['source', 'module', 'browser', 'production'] },
    build: { lib: { entry, formats: ['es'], fileName: () => 'page.js' }, write: false },
  })
  const [output] = built as Rolldown.RolldownOutput[]
  const chunk = output?.output.find((file) => file.type === 'chunk')
  if (!chunk) throw new Error('vite built no chunk')
  return chunk.code
}

/** Svelte's compiler, without a second build tool around it. */
function svelte(): Plugin {
  const { compile } = require('svelte/compiler')
  return transform('svelte', (code, filename) => compile(code, { filename }).js.code)
}

/** Vue's compiler, with the one setting that every shop needs. */
function vue(): Plugin {
  const { parse, compileScript } = require('vue/compiler-sfc')
  return transform('vue', (code, filename) => {
    const { descriptor } = parse(code, { filename })
    const compilerOptions = { isCustomElement: (tag: string) => tag === 'pi-checkout' }
    const options = { id: filename, inlineTemplate: true, templateOptions: { compilerOptions } }
    return compileScript(descriptor, options).content
  })
}

function transform(kind: string, compile: (code: string, filename: string) => string): Plugin {
  return {
    name: kind,
    transform: {
      order: 'pre',
      filter: { id: new RegExp(`\\.${kind}$`) },
      handler: (code, filename) => ({ code: compile(code, filename), map: null }),
    },
  }
}
