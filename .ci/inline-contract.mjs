// The last step of a package's own build: gives it a copy of the contract's modules that its files name.
// The contract is private: the published files contain what they use of it.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const { dependencies = {} } = JSON.parse(readFileSync('package.json', 'utf8'))
const contract = fileURLToPath(new URL('../packages/contract', import.meta.url))
const { exports } = JSON.parse(readFileSync(join(contract, 'package.json'), 'utf8'))
const dist = resolve('dist')
const copied = new Set()
/** `from 'x'`, `import 'x'` and `import('x')`, at whatever line. */
const imported = /\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g

for (const path of files(dist)) {
  const text = readFileSync(path, 'utf8')
  const own = text.replaceAll(
    /(['"])@pi-checkout\/contract(?:\/([\w-]+))?\1/g,
    (_, quote, subpath) => {
      const { default: file } = exports[subpath ? `./${subpath}` : '.']
      const name = file.slice('./dist/'.length, -'.js'.length)
      copy(name + (path.endsWith('.js') ? '.js' : '.d.ts'))
      const way = relative(dirname(path), join(dist, 'contract', name))
      return `${quote}${way.startsWith('.') ? way : `./${way}`}.js${quote}`
    },
  )
  if (own.includes('@pi-checkout/contract')) {
    throw new Error(`${path} still names @pi-checkout/contract; whoever installs it has none`)
  }
  if (own !== text) writeFileSync(path, own)
}

/** Copies a module and what it imports: modules beside it, and packages that installing this one brings. */
function copy(name) {
  if (copied.has(name)) return
  copied.add(name)
  const text = readFileSync(join(contract, 'dist', name), 'utf8')
  for (const [, specifier] of text.matchAll(imported)) {
    if (specifier in dependencies) continue
    if (!specifier.startsWith('.')) {
      throw new Error(`contract/${name} imports ${specifier}; name a subpath that does without it`)
    }
    copy(join(dirname(name), specifier).replace(/\.[jt]s$/, '') + /(\.d)?\.[jt]s$/.exec(name)[0])
  }
  const target = join(dist, 'contract', name)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text)
}

function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* files(path)
    else if (/\.(?:js|d\.ts)$/.test(path)) yield path
  }
}
