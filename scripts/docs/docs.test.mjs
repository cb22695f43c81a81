// The documents are true: code compiles; links, paths, and variables exist.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '@pi-checkout/test-support/process'
import { startService, variablesOf } from '@pi-checkout/test-support/stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../files.mjs'
import { documents, readDocument } from './documents.mjs'

/** Next to the examples, so that code imports what they do. */
const folder = join(root, 'demo/examples/.docs')
const read = (path) => readFileSync(join(root, path), 'utf8')
const all = documents()
const blocks = all.flatMap((document) => document.blocks)
const modules = blocks
  .filter(({ language }) => ['js', 'jsx', 'ts', 'tsx'].includes(language))
  .map((block) => {
    const name = `${block.path.replace(/\W/g, '-')}-${block.line}.${block.language}`
    return { ...block, file: join(folder, name) }
  })
const variables = new Set(
  execFileSync('git', ['grep', '-hoE', String.raw`\bPI_[A-Z_]*[A-Z]\b`, '--', ':!*.md'], {
    cwd: root,
    encoding: 'utf8',
  }).split('\n'),
)
let service
let env

beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const { file, code } of modules) writeFileSync(file, `${code}export {}\n`)
  service = await startService(['--memory'])
  env = variablesOf(service.ready)
}, 120_000)

afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

test('the code compiles', () => {
  const tsc = join(root, 'node_modules/.bin/tsc')
  const args = ['--pretty', 'false', '-p', 'scripts/docs']
  const { stdout } = spawnSync(tsc, args, { cwd: root, encoding: 'utf8' })
  const errors = stdout.split('\n').filter((line) => line.startsWith('demo/examples/'))
  // Plain JavaScript declares no types: parameters are `any`, and results `unknown` or `undefined`.
  const untyped = /^[^(]*\.m?jsx?\(.*TS(?:7006|7030|7031|18046|18048):/
  expect(errors.filter((line) => !untyped.test(line))).toEqual([])
})

test.each(blocks.filter(({ language }) => language === 'json'))(
  '$path:$line: the JSON is well-formed',
  ({ code }) => expect(() => JSON.parse(code)).not.toThrow(),
)

// Only a block that is one request to the service: no other command of a document runs here.
test.each(blocks.filter(({ code }) => /^curl "\$PI_BASE_URL\/(?:.*\\\n)*.*\n$/.test(code)))(
  '$path:$line: the service accepts the request of curl',
  async ({ code }) => {
    const script = code.replace(/^curl/, 'curl -sS --fail-with-body')
    const sent = await runProgram(['-c', script], { command: 'bash', env })
    expect([sent.code, sent.code === 0 ? '' : sent.output + sent.errors]).toEqual([0, ''])
  },
)

test.each([
  ['shop.mjs', 'demo/examples/quick-start.mjs'],
  ['checkout.html', 'demo/examples/checkout.html'],
])("the README's %s is the example that the demo's tests pay in", (name, path) => {
  const { code } = readDocument('README.md').blocks.find((block) => block.name === name)
  expect(code.slice(code.indexOf('\n') + 1)).toBe(read(path))
})

test("the README's picture has a description, and names the routes", () => {
  const picture = read('.github/payment.svg')
  expect(picture).toMatch(/<title id="title">.+<\/title>\n {2}<desc id="desc">.+<\/desc>/)
  expect(picture).toContain('@media (prefers-color-scheme: dark)')
  const routes = read('packages/contract/src/merchant-api/routes.ts')
  for (const [, method, path] of routes.matchAll(/method: '(\w+)', path: '([^']+)'/g)) {
    expect(picture).toContain(`${method} ${path}<`)
  }
  const [, alternative] = /<img src="\.github\/payment\.svg"[^>]* alt="([^"]+)"/.exec(
    read('README.md'),
  )
  expect(alternative.length).toBeGreaterThan(100)
})

test('every link leads to a file and a heading', async () => {
  const modules = join(root, 'scripts/node_modules')
  const plugin = `${join(modules, 'remark-validate-links/index.js')}=repository:false`
  const args = ['--quiet', '--frail', '--no-stdout', '--no-config', '--use', plugin]
  const paths = all.map(({ path }) => path)
  const command = join(modules, '.bin/remark')
  const { code, errors } = await runProgram([...args, ...paths], { command })
  expect([code, errors]).toEqual([0, ''])
}, 60_000)

test.each(all)('$path: paths and variables in sentences exist', ({ spans, text }) => {
  const isPath = (span) => /^(?:packages|demo|e2e|scripts|\.ci|\.github)\/[\w./-]+$/.test(span)
  const isGenerated = (path) => /(?:^|\/)(?:dist|test-results|\.data)\//.test(path)
  const paths = spans.filter((span) => isPath(span) && !isGenerated(span))
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  const named = text.match(/\bPI_[A-Z_]*[A-Z]\b/g) ?? []
  expect(named.filter((name) => !variables.has(name))).toEqual([])
})
