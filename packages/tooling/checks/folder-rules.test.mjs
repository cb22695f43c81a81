// The folder rules are lint errors: each forbidden import fails `npm run check`.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root, runProgram } from '@pi-checkout/test-support/process'
import { expect, test } from 'vitest'

const features = ['merchants', 'intents', 'checkout', 'test-bank', 'sandbox', 'api-docs']
const service = (folder, forbidden) => [
  `packages/service/src/${folder}/x.ts`,
  forbidden.map((other) => `../${other}/x.ts`),
]
const ours = (names) => names.map((name) => `@pi-checkout/${name}`)

/** Imports that a file must not have. */
const forbidden = {
  'packages/contract/src/money.ts': ['zod', 'node:fs', '@pi-checkout/server'],
  'packages/contract/src/money-schema.ts': ['node:fs', '@pi-checkout/server'],
  'packages/server/src/client/x.ts': ['../handoff/x.ts', '../frameworks/x.ts', 'node:fs'],
  'packages/server/src/handoff/x.ts': ['../frameworks/x.ts', '../cli/main.ts', 'node:fs'],
  'packages/server/src/frameworks/x.ts': ['../testing/x.ts', '../cli/main.ts'],
  'packages/element/src/x.ts': ['zod', 'node:fs', './frameworks/x.ts', ...ours(['contract'])],
  'packages/element/src/testing/x.ts': ['../frameworks/x.ts', ...ours(['server', 'service'])],
  'packages/service/shared/x.ts': ['../src/app.ts', '../hosted/x.ts', 'node:fs', 'zod'],
  'packages/service/hosted/checkout/x.ts': ['../../src/app.ts', 'node:fs', 'zod'],
  ...Object.fromEntries([
    service('http', ['provider', 'notifier', 'start', ...features]),
    ...['db', 'provider', 'notifier'].map((folder) => service(folder, ['http', ...features])),
    ...features.map((folder, at) => service(folder, [...features.slice(at + 1), 'start', 'cli'])),
    service('api-docs', ['sandbox', 'start', 'cli']),
  ]),
  'packages/explorer/src/x.ts': ours(['element', 'server']),
  'demo/server/x.ts': ours(['contract', 'service']),
  'e2e/stories/x.test.ts': ours(['contract', 'element', 'server', 'service']),
}

test('reports each forbidden import of a folder', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pi-lint-'))
  for (const path of ['.biome.json', 'package.json', 'demo/package.json', 'e2e/package.json']) {
    cpSync(join(root, path), join(folder, path))
  }
  for (const [path, imports] of Object.entries(forbidden)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), imports.map((from) => `import '${from}'\n`).join(''))
  }
  const rules = ['style/noRestrictedImports', 'correctness/noUndeclaredDependencies']
  const options = ['--vcs-enabled=false', '--reporter=github', '--max-diagnostics=none']
  const { output } = await runProgram(
    ['lint', ...options, ...rules.map((rule) => `--only=${rule}`)],
    { command: join(root, 'node_modules/.bin/biome'), cwd: folder },
  )
  rmSync(folder, { recursive: true })
  const lines = output.matchAll(/file=.*?pi-lint-\w+\/([^,]+),line=(\d+)/g)
  const reported = new Set(
    [...lines].map(([, path, line]) => `${path} ${forbidden[path][line - 1]}`),
  )
  const all = Object.entries(forbidden).flatMap(([path, imports]) =>
    imports.map((from) => `${path} ${from}`),
  )
  expect(all.filter((each) => !reported.has(each))).toEqual([])
})
