// Builds a published package so that it contains what it uses of the contract, which is private.
// `bundle.mjs [ENTRY…]` writes each module of its exported sources and of the entries to dist, and their declarations.
// `bundle.mjs --types` writes the declarations only.
import { readFileSync } from 'node:fs'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const names = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
const external = [/^node:/, ...names.map((name) => new RegExp(`^${name}(?:/|$)`))]
const exported = Object.values(manifest.exports).filter(({ source }) => source)
const args = process.argv.slice(2)

if (!args.includes('--types')) {
  await write({
    input: [...exported.map(({ source }) => source), ...args],
    platform: 'neutral',
    resolve: { conditionNames: ['source'] },
    treeshake: false,
    output: { preserveModules: true, preserveModulesRoot: 'src' },
  })
}
const outputs = exported.map(({ source, types }) => [
  types.slice('./dist/'.length, -'.d.ts'.length),
  source,
])
await write({
  input: Object.fromEntries(outputs),
  plugins: [dts({ oxc: true, emitDtsOnly: true, tsconfig: false })],
  output: { chunkFileNames: 'types/[name].d.ts' },
})

async function write({ output, ...input }) {
  const bundle = await rolldown({ external, logLevel: 'silent', ...input })
  await bundle.write({ dir: 'dist', ...output })
}
