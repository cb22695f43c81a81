// Builds a published package so that it contains what it uses of the contract, which is private.
// `bundle.mjs code ENTRY…` writes each module below src to dist, and those of the contract.
// `bundle.mjs types` bundles what `tsc` wrote to dist/.types, or else the declarations of the sources.
// `bundle.mjs types LIB` adds a reference to a library of TypeScript that the declarations need.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const names = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
const external = [/^node:/, ...names.map((name) => new RegExp(`^${name}(?:/|$)`))]
const [, , output, ...entries] = process.argv

if (output === 'code') {
  await write({
    input: entries,
    platform: 'neutral',
    resolve: { conditionNames: ['source'] },
    treeshake: false,
    output: { preserveModules: true, preserveModulesRoot: 'src' },
  })
} else {
  const compiled = existsSync('dist/.types')
  const exported = Object.values(manifest.exports).filter(({ source }) => source)
  await write({
    input: Object.fromEntries(
      exported.map(({ source, types }) => [
        types.slice('./dist/'.length, -'.d.ts'.length),
        compiled ? source.replace('./src', './dist/.types').replace(/ts$/, 'd.ts') : source,
      ]),
    ),
    plugins: [dts({ dtsInput: compiled, oxc: !compiled, emitDtsOnly: true, tsconfig: false })],
    output: {
      chunkFileNames: 'types/[name].d.ts',
      ...(entries.length > 0 && { postBanner: `/// <reference lib="${entries[0]}" />` }),
    },
  })
  rmSync('dist/.types', { recursive: true, force: true })
}

async function write({ output, ...input }) {
  const bundle = await rolldown({ external, logLevel: 'silent', ...input })
  await bundle.write({ dir: 'dist', ...output })
}
