// The documents are true: code runs and type-checks; links, paths, and variables exist.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '@pi-checkout/test-support/process'
import { startService } from '@pi-checkout/test-support/stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../files.mjs'
import { pnpm } from '../pnpm.mjs'
import { documents, readDocument } from './documents.mjs'
import * as workspace from './workspace.mjs'

const read = (path) => readFileSync(join(root, path), 'utf8')
const all = documents()
const blocks = all.flatMap((document) => document.blocks)
const of = (...languages) => blocks.filter(({ language }) => languages.includes(language))
const modules = of('js', 'mjs', 'jsx', 'ts', 'tsx')
const at = ({ path, line }) => `${path}:${line}`

// The others are checked by the compilers of their frameworks.
const examples = readdirSync(join(root, 'demo/examples'), { recursive: true }).filter((name) =>
  /^(?!.*node_modules|vue|svelte|nuxt|astro).*\.(?:m?js|jsx)$/.test(name),
)

/** Every variable that a source of the repository names. */
const pattern = String.raw`\bPI_[A-Z_]*[A-Z]\b`
const search = ['grep', '-hoE', pattern, '--', 'packages', 'demo', 'e2e', 'scripts', ':!*.md']
const known = new Set(execFileSync('git', search, { cwd: root, encoding: 'utf8' }).split('\n'))

const files = new Map()
let errors
let service

beforeAll(() => {
  workspace.createWorkspace()
  const asModule = (block) => ({ ...block, code: `${block.code}export {}\n` })
  for (const block of modules)
    files.set(block, [workspace.writeBlock(asModule(block), block.language)])
  for (const block of of('html', 'json', 'css', 'vue', 'svelte')) {
    workspace.writeBlock(block, block.language)
    const scripts = scriptsOf(block).map((script) => workspace.writeBlock(asModule(script), 'js'))
    files.set(block, scripts)
  }
  for (const name of examples) {
    workspace.writeBlock(
      asModule({ path: 'demo/examples.md', name, code: read(`demo/examples/${name}`) }),
    )
  }
  errors = workspace.typeErrors()
}, 120_000)

afterAll(async () => await service?.stop())

for (const block of modules) {
  test(`${at(block)}: code type-checks and prints what its comments say`, async () => {
    const [file] = files.get(block)
    expect(errors.get(file) ?? []).toEqual([])
    const run = await runnerOf(block, file)
    if (!run) return
    const { code, output, errors: stderr } = await run()
    expect([code, code === 0 ? '' : output + stderr]).toEqual([0, ''])
    const printed = [...block.code.matchAll(/console\.log.*\/\/ (.+)$/gm)].map(([, text]) => text)
    if (printed.length > 0) expect([output.trim().split('\n'), stderr]).toEqual([printed, ''])
  }, 60_000)
}

async function runnerOf({ path, name, code }, file) {
  if (/from 'vitest'/.test(code)) return () => workspace.runVitest(file)
  if (/from 'node:test'/.test(code)) {
    const { text } = all.find((document) => document.path === path)
    const isRunWithService = name && text.includes(`pi-service exec -- node --test ${name}`)
    if (!isRunWithService) return () => workspace.runWithFake(file, { test: true })
    const env = await sandbox()
    return () => workspace.runWithService(file, env)
  }
  return /console\.log.*\/\/ /.test(code) ? () => workspace.runWithFake(file) : undefined
}

test('scripts of pages and examples type-check', () => {
  const placed = of('html').flatMap((block) => files.get(block))
  const named = examples.map((name) => `demo-examples/${name}`)
  expect([...placed, ...named].flatMap((file) => errors.get(file) ?? [])).toEqual([])
})

test('JSON, HTML, and CSS are well-formed', () => {
  expect(workspace.syntaxErrors()).toBe(undefined)
}, 30_000)

// Only a block that is one request to the service: no other command of a document runs on this machine.
const requests = of('sh').filter(({ code }) => {
  const lines = code.trim().split('\n')
  const isOneCommand = lines.slice(0, -1).every((line) => line.endsWith('\\'))
  return isOneCommand && code.startsWith('curl "$PI_BASE_URL/') && !/[;&|`]|\$\(/.test(code)
})
for (const block of requests) {
  test(`${at(block)}: the service accepts the request of curl`, async () => {
    const script = block.code.replace(/^curl/, 'curl -sS --fail-with-body')
    const sent = await workspace.runShell(script, await sandbox())
    expect([sent.code, sent.code === 0 ? '' : sent.output + sent.errors]).toEqual([0, ''])
  }, 60_000)
}

for (const block of of('http').filter(({ code }) => !code.startsWith('HTTP/'))) {
  test(`${at(block)}: the request gets the response that is shown next`, async () => {
    const env = await sandbox()
    const { first, headers, body } = readHttp(
      block.code.replace(/\$(\w+)/g, (_, name) => env[name]),
    )
    const [method, path] = first.split(' ')
    const response = await fetch(env.PI_BASE_URL + path, { method, headers, body })
    const shown = readHttp(blocks[blocks.indexOf(block) + 1].code)
    expect(`HTTP/1.1 ${response.status} ${response.statusText}`).toBe(shown.first)
    expect(shown.headers.filter(([name]) => !response.headers.has(name))).toEqual([])
    expect(Object.keys(await response.json())).toEqual(Object.keys(JSON.parse(shown.body)))
  }, 60_000)
}

test("the README's shop is the example that the demo's tests pay in", () => {
  const sources = {
    'shop.mjs': 'demo/examples/quick-start.mjs',
    'checkout.html': 'demo/examples/checkout.html',
  }
  for (const [name, path] of Object.entries(sources)) {
    const { code } = blocks.find((block) => block.path === 'README.md' && block.name === name)
    expect(code.slice(code.indexOf('\n') + 1)).toBe(read(path))
  }
})

test("the README's picture has a dark form and a description, and names the routes", () => {
  const { text } = readDocument('README.md')
  const [, alternative] = /<img src="\.github\/payment\.svg"[^>]* alt="([^"]+)"/.exec(text)
  expect(alternative.length).toBeGreaterThan(100)
  const picture = read('.github/payment.svg')
  expect(picture).toMatch(/<title id="title">.+<\/title>\n {2}<desc id="desc">.+<\/desc>/)
  expect(picture).toContain('@media (prefers-color-scheme: dark)')
  const routes = read('packages/contract/src/merchant-api/routes.ts')
  for (const [, method, path] of routes.matchAll(/method: '(\w+)', path: '([^']+)'/g)) {
    expect(picture).toContain(`${method} ${path}<`)
  }
})

test('every pnpm is the one that package.json names', () => {
  expect(read('packages/service/Dockerfile').match(/pnpm@[\d.]+/g)).toEqual([pnpm])
})

test('every link leads to a file and a heading', async () => {
  const modules = join(root, 'scripts/node_modules')
  const plugin = `${join(modules, 'remark-validate-links/index.js')}=repository:false`
  const args = ['--quiet', '--frail', '--no-stdout', '--no-config', '--use', plugin]
  const paths = all.map(({ path }) => path)
  const command = join(modules, '.bin/remark')
  const { code, errors: report } = await runProgram([...args, ...paths], { command })
  expect([code, report]).toEqual([0, ''])
}, 60_000)

test.each(all)(
  '$path: paths and variables in sentences exist',
  ({ prose, text }) => {
    const paths = prose.matchAll(/`((?:packages|demo|e2e|scripts|\.ci|\.github)\/[\w./-]+)`/g)
    const isGenerated = (path) => /(?:^|\/)(?:dist|test-results|\.data)\//.test(path)
    const missing = [...paths]
      .map(([, path]) => path)
      .filter((path) => !existsSync(join(root, path)))
    expect(missing.filter((path) => !isGenerated(path))).toEqual([])
    const variables = new Set(text.match(/\bPI_[A-Z_]*[A-Z]\b/g))
    expect([...variables].filter((name) => !known.has(name))).toEqual([])
  },
  30_000,
)

function scriptsOf({ code, ...block }) {
  const scripts = code.matchAll(/<script(?![^>]* src=)[^>]*>([\s\S]*?)<\/script>/g)
  if (block.language !== 'html') return []
  return [...scripts].map(([, script], index) => ({
    ...block,
    name: `script-${block.line}-${index}.js`,
    code: script,
  }))
}

function readHttp(code) {
  const [head, ...rest] = code.trim().split('\n\n')
  const [first, ...lines] = head.split('\n')
  const headers = lines.map((line) => line.split(/: (.*)/s).slice(0, 2))
  return { first, headers, body: rest.join('\n\n') || undefined }
}

/** The variables of one service for all blocks that need one. */
async function sandbox() {
  service ??= await startService(['--memory'])
  const { baseUrl, checkoutOrigin, apiKey, adminToken } = service.ready
  return {
    PI_BASE_URL: baseUrl,
    PI_CHECKOUT_ORIGIN: checkoutOrigin,
    PI_API_KEY: apiKey,
    PI_ADMIN_TOKEN: adminToken,
  }
}
