// The documents cannot lie: every block of code is run, type-checked or parsed, every link leads somewhere.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { piService, startProgram } from '@pi-checkout/test-support/process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodeVersions } from '../node-versions.mjs'
import { published } from '../pack.mjs'
import { pnpm } from '../pnpm.mjs'
import { commandsOf, faultOf, ourFault } from './commands.mjs'
import { anchorsOf, documents, linksOf, readDocument, root } from './documents.mjs'
import { languages, readHttp, scriptsOf } from './languages.mjs'
import { llmsPath, llmsText } from './llms.mjs'
import {
  ended,
  furnish,
  place,
  runPlaced,
  runVitest,
  runWithService,
  typeFaults,
} from './workspace.mjs'

const all = documents()
const blocks = all.flatMap((document) => document.blocks)
const modules = ['js', 'mjs', 'jsx', 'ts', 'tsx']
const shells = ['sh', 'bash']

// Vue's and Svelte's compilers see to theirs.
const examples = readdirSync(join(root, 'demo/examples'), { recursive: true }).filter((name) =>
  /^(?!node_modules|vue|svelte).*\.(?:m?js|jsx)$/.test(name),
)

const placed = new Map()
let faults
let service

beforeAll(() => {
  furnish()
  for (const block of blocks) {
    if (modules.includes(block.language)) placed.set(block, [place(block, block.language)])
    if (block.language === 'html') {
      placed.set(
        block,
        scriptsOf(block).map((script) => place(script, 'js')),
      )
    }
  }
  for (const name of examples) {
    const code = readFileSync(join(root, 'demo/examples', name), 'utf8')
    place({ path: 'demo/examples.md', name, code })
  }
  faults = typeFaults()
}, 120_000)

afterAll(async () => await service?.stop())

for (const block of blocks) {
  const title = `${block.path}:${block.line}`
  if (modules.includes(block.language)) {
    test(
      `${title}: the code type-checks, and does what its comments say`,
      { timeout: 60_000 },
      () => checkModule(block),
    )
  } else if (shells.includes(block.language)) {
    test(`${title}: the commands exist, with these options`, { timeout: 60_000 }, () =>
      checkShell(block),
    )
  } else {
    test(
      `${title}: the ${block.language || 'unnamed'} is what it claims to be`,
      { timeout: 60_000 },
      () => checkText(block),
    )
  }
}

async function checkModule(block) {
  const [file] = placed.get(block)
  expect(faults.get(file) ?? []).toEqual([])
  if (/from 'vitest'/.test(block.code)) {
    const { status, stdout, stderr } = await runVitest(file)
    expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, ''])
  } else if (/from 'node:test'/.test(block.code)) {
    const { status, stdout } = needsService(block)
      ? await runWithService(file, (await sandbox()).env)
      : await runPlaced(file, { test: true })
    expect([status, status === 0 ? '' : stdout]).toEqual([0, ''])
  } else {
    const promised = [...block.code.matchAll(/console\.log.*\/\/ (.+)$/gm)].map(([, said]) => said)
    if (promised.length === 0) return
    const { stdout, stderr } = await runPlaced(file)
    expect([stdout.trim().split('\n'), stderr]).toEqual([promised, ''])
  }
}

/** Whether the document says to run this file of tests with `pi-service exec`. */
function needsService({ path, name }) {
  const { text } = all.find((document) => document.path === path)
  return name !== undefined && text.includes(`pi-service exec -- node --test ${name}`)
}

async function checkShell(block) {
  const { blocks } = all.find(({ path }) => path === block.path)
  const names = blocks.flatMap(({ name }) => (name ? [name] : []))
  const commands = commandsOf(block.code)
  for (const command of commands) {
    expect(faultOf(command, { path: block.path, names }), command.text).toBe(undefined)
  }
  const requests = commands.filter(({ program }) => program === 'curl')
  if (requests.length === 0) return
  const { env } = await sandbox()
  for (const { text } of requests) {
    const command = text.replaceAll(/http:\/\/(?:localhost|127\.0\.0\.1):4000/g, env.PI_BASE_URL)
    const sent = await ended(
      'bash',
      ['-c', command.replace(/^curl/, 'curl -sS --fail-with-body')],
      {
        env,
      },
    )
    expect([sent.status, sent.status === 0 ? '' : sent.stdout + sent.stderr], text).toEqual([0, ''])
  }
}

async function checkText(block) {
  const scripts = (placed.get(block) ?? []).flatMap((file) => faults.get(file) ?? [])
  expect(scripts).toEqual([])
  const rule = languages[block.language]
  expect(rule, `no rule covers the language "${block.language}"`).toBeTypeOf('function')
  expect(rule(block)).toBe(undefined)
  if (block.language === 'http') await checkHttp(block)
}

/** Sends a request, and compares the answer that the document shows next: status, headers, fields. */
async function checkHttp(block) {
  const { first, lines, body } = readHttp(block)
  const [method, path] = first.split(' ')
  if (!path.startsWith('/')) return
  const { env } = await sandbox()
  const filled = lines.map((line) => line.replace(/\$(\w+)/g, (_, name) => env[name]))
  const headers = filled.map((line) => line.split(/: (.*)/s).slice(0, 2))
  const answer = await fetch(env.PI_BASE_URL + path, { method, headers, body })
  const [next] = blocks.slice(blocks.indexOf(block) + 1)
  const shown = next?.path === block.path && next.language === 'http' ? readHttp(next) : undefined
  if (!shown?.first.startsWith('HTTP/')) return expect(answer.status).toBeLessThan(300)
  expect(`HTTP/1.1 ${answer.status} ${answer.statusText}`).toBe(shown.first)
  const names = shown.lines.map((line) => line.split(':', 1).join(''))
  expect(names.filter((name) => !answer.headers.has(name))).toEqual([])
  const got = await answer.text()
  if (shown.body) expect(Object.keys(JSON.parse(got))).toEqual(Object.keys(JSON.parse(shown.body)))
}

test("the README's shop is the example that the demo's tests pay in", () => {
  const files = {
    'shop.mjs': 'demo/examples/express.mjs',
    'checkout.html': 'demo/examples/checkout.html',
  }
  for (const [name, path] of Object.entries(files)) {
    const block = blocks.find((block) => block.path === 'README.md' && block.name === name)
    const [, ...shown] = block.code.split('\n')
    expect(shown.join('\n')).toBe(readFileSync(join(root, path), 'utf8'))
  }
})

test.each(examples)('demo/examples/%s type-checks', (name) => {
  expect(faults.get(`demo-examples/${name}`) ?? []).toEqual([])
})

test("the README's picture is there in light and dark, in words too, and names the real routes", () => {
  const { text } = readDocument('README.md')
  const [, alternative] = /<img src="\.github\/payment\.svg"[^>]* alt="([^"]+)"/.exec(text)
  expect(alternative.length).toBeGreaterThan(100)
  const picture = readFileSync(join(root, '.github/payment.svg'), 'utf8')
  expect(picture).toMatch(/<title id="title">.+<\/title>\n {2}<desc id="desc">.+<\/desc>/)
  expect(picture).toContain('@media (prefers-color-scheme: dark)')
  const routes = readFileSync(join(root, 'packages/contract/src/merchant-api/routes.ts'), 'utf8')
  for (const [, method, path] of routes.matchAll(/method: '(\w+)', path: '([^']+)'/g)) {
    expect(picture).toContain(`${method} ${path}<`)
  }
})

test('llms.txt is what the documents say; node packages/tooling/docs/llms.mjs renews it', () => {
  expect(readFileSync(join(root, llmsPath), 'utf8')).toBe(llmsText())
})

test('continuous integration runs what is promised on every Node line that is supported', () => {
  const workflow = readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8')
  expect(workflow).toContain('- run: .ci/run\n')
  const [, matrix] = /node: \[(.*)\]/.exec(workflow)
  const lines = [...matrix.matchAll(/['"]([\d.]+)['"]/g)].map(([, line]) => line)
  const missing = nodeVersions.filter((version) => !lines.some((line) => version.startsWith(line)))
  expect(missing).toEqual([])
  expect(lines).toHaveLength(nodeVersions.length)
})

test('whatever brings pnpm brings the one that package.json names', () => {
  for (const path of ['.github/workflows/release.yml', 'packages/service/Dockerfile']) {
    const named = readFileSync(join(root, path), 'utf8').match(/pnpm@[\d.]+/g)
    expect(new Set(named), path).toEqual(new Set([pnpm]))
  }
})

test('every changeset names packages that are published, and how much they change', () => {
  for (const name of readdirSync(join(root, '.changeset'))) {
    if (!name.endsWith('.md')) continue
    const text = readFileSync(join(root, '.changeset', name), 'utf8')
    const [, front, words] = /^---\n([\s\S]*?)---\n\n([\s\S]+)$/.exec(text) ?? []
    for (const line of front.trim().split('\n')) {
      const [, name] = /^"@pi-checkout\/(\w+)": (?:patch|minor|major)$/.exec(line) ?? []
      expect(published, line).toContain(name)
    }
    expect(words.trim()).not.toBe('')
  }
})

for (const document of all) {
  test(`${document.path}: every link and every path that it names leads somewhere`, () => {
    const broken = linksOf(document).filter((address) => !leads(address, document))
    const paths = [...document.prose.matchAll(/`((?:packages|demo|e2e|\.ci|\.github)\/[\w./-]+)`/g)]
    const missing = paths.map(([, path]) => path).filter((path) => !existsSync(join(root, path)))
    expect([...broken, ...missing.filter((path) => !isMade(path))]).toEqual([])
  })

  test(`${document.path}: every command of ours that a sentence names exists`, () => {
    const named = document.prose.matchAll(/`(?:npx )?(pi-service|pi-checkout) ([^`]+)`/g)
    for (const [whole, program, rest] of named) {
      const words = rest
        .replaceAll('\\|', '|')
        .split(/[\s|[\]]+/)
        .filter((word) => /^[-a-z]/.test(word))
      expect(ourFault(program, words), whole).toBe(undefined)
    }
  })

  test(`${document.path}: every variable that it names is read somewhere`, () => {
    const named = new Set(document.text.match(/\bPI_[A-Z_]*[A-Z]\b/g))
    const unknown = [...named].filter((name) => !variables().has(name))
    expect(unknown).toEqual([])
  })
}

function leads(address, { path }) {
  if (/^(?:https?:|mailto:)/.test(address)) return URL.canParse(address)
  const [file, anchor] = decodeURIComponent(address).split('#')
  const target = file === '' ? path : normalize(join(dirname(path), file))
  if (!existsSync(join(root, target))) return isMade(target)
  return anchor === undefined || anchorsOf(readDocument(target)).has(anchor)
}

function isMade(path) {
  return /(?:^|\/)(?:dist|test-results|\.data)\//.test(path)
}

let known

function variables() {
  if (known) return known
  known = new Set()
  for (const folder of ['packages', 'demo', '.ci', 'e2e']) collect(join(root, folder))
  return known
}

function collect(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (!['node_modules', 'dist', 'docs', 'test-results'].includes(entry.name)) collect(path)
    } else if (/\.(?:m?[jt]sx?|json|ya?ml)$/.test(entry.name)) {
      for (const name of readFileSync(path, 'utf8').match(/\bPI_[A-Z_]*[A-Z]\b/g) ?? [])
        known.add(name)
    }
  }
}

/** One for all blocks that want one. */
async function sandbox() {
  service ??= await startService()
  return service
}

/** A sandbox of its own, with everything that a document's command may want of it. */
async function startService() {
  const args = ['start', '--memory', '--port', '0', '--json']
  const { line, stop } = await startProgram([piService, ...args])
  const { baseUrl, checkoutOrigin, apiKey, adminToken } = JSON.parse(line)
  const env = {
    PI_BASE_URL: baseUrl,
    PI_CHECKOUT_ORIGIN: checkoutOrigin,
    PI_API_KEY: apiKey,
    PI_ADMIN_TOKEN: adminToken,
  }
  return { stop, env }
}
