// What npm would publish: packed, installed in an empty folder, and used there with a merchant's own tools.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram, startProgram } from '@pi-checkout/test-support/process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { documents } from './docs/documents.mjs'
import { install } from './install.mjs'
import { nodeBinary, nodeVersions } from './node-versions.mjs'
import { pack, published } from './pack.mjs'
import { pnpm } from './pnpm.mjs'

const folder = mkdtempSync(join(tmpdir(), 'pi-packages-'))
// Like pnpm and npx, which install below a folder with a dot.
const home = join(folder, '.npx/shop')
const tools = [
  'typescript-5@npm:typescript@5.9.3',
  'typescript-7@npm:typescript@7.0.2',
  '@cloudflare/workers-types@5.20261117.1',
  '@types/express@5.0.6',
  '@types/node@24',
  '@types/react@19.3.0',
  'vue@3.5.45',
  '@playwright/test@1.64.1',
  'express@5.3.0',
  'react@19.3.1',
  'react-dom@19.3.1',
  'svelte@5.57.3',
  'jest@30.5.2',
  'jest-environment-jsdom@30.5.2',
  'vitest@4.1.12',
  'jsdom@26.1.0',
]
let tarballs = new Map()

beforeAll(async () => {
  mkdirSync(home, { recursive: true })
  tarballs = pack(join(folder, 'vendor'))
  writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }')
  await install(home, [...tools, ...tarballs.values()])
}, 600_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }), 300_000)

for (const name of published) {
  test(`${name}: publint and attw find no problem in the tarball, and its README's links lead to files`, {
    timeout: 120_000,
  }, async () => {
    const modules = join(import.meta.dirname, 'node_modules')
    const checks = [
      [join(modules, '.bin/publint'), [tarballs.get(name), '--strict']],
      [join(modules, '.bin/attw'), [tarballs.get(name), '--profile', 'esm-only']],
    ]
    for (const [command, args] of checks) {
      const { code, output, errors } = await runProgram(args, { command, cwd: home })
      expect([code, code === 0 ? '' : output + errors]).toEqual([0, ''])
    }
    const installed = join(home, 'node_modules/@pi-checkout', name)
    const readme = readFileSync(join(installed, 'README.md'), 'utf8')
    const links = [...readme.matchAll(/\]\((?:\.\/)?((?!https?:|\.\.|#)[^)#]+)/g)]
    expect(links.filter(([, link]) => !existsSync(join(installed, link)))).toEqual([])
  })
}

for (const name of published) {
  test(`${name}: the package contains its listed folders only`, () => {
    const list = execFileSync('tar', ['-tzf', tarballs.get(name)], { encoding: 'utf8' })
    const allowed =
      /^package\/(?:dist|src|bin)\/|^package\/guides\/[\w-]+\.md$|^package\/(?:package\.json|README\.md|LICENSE|llms\.txt)$/
    const files = list.trim().split('\n')
    expect(files.filter((file) => !allowed.test(file) || /\.env|\.test\./.test(file))).toEqual([])
    expect(files).toContain('package/LICENSE')
  })
}

const managers = [
  ['npm', ['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline']],
  ['pnpm', [pnpm, 'install', '--prefer-offline', '--ignore-workspace']],
  // A package of fastify asks for Node.js 22, and runs on 20. Only Yarn 1 refuses it.
  ['Yarn 1', ['yarn@1.22.22', 'install', '--ignore-engines', '--no-lockfile']],
  ['Yarn 4', ['@yarnpkg/cli-dist@4.18.1', 'install']],
]
// With pnpm, each package imports only what its manifest names.
for (const [manager, args] of managers) {
  test(`${manager} installs the packages, whose entries import without output, and the service creates`, {
    timeout: 300_000,
  }, async () => {
    const shop = join(folder, '.alone', manager.replace(' ', '-'))
    mkdirSync(shop, { recursive: true })
    const ours = published.map((each) => [`@pi-checkout/${each}`, `file:${tarballs.get(each)}`])
    const dependencies = { ...Object.fromEntries(ours), react: '19.3.1' }
    writeFileSync(join(shop, 'package.json'), JSON.stringify({ private: true, dependencies }))
    writeFileSync(join(shop, '.yarnrc.yml'), 'nodeLinker: node-modules\nenableTelemetry: false\n')
    writeFileSync(join(shop, 'yarn.lock'), '')
    // Yarn 1 keeps a tarball by its version, which does not change here.
    const cache = join(folder, 'yarn')
    const env = {
      CI: undefined,
      NODE_ENV: undefined,
      YARN_CACHE_FOLDER: cache,
      YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
    }
    const options = { command: 'npx', cwd: shop, env }
    const { code, output, errors } = await runProgram(['--yes', ...args], options)
    expect([code, code === 0 ? '' : output + errors]).toEqual([0, ''])

    const imports = published.flatMap(entriesOf).map((entry) => `await import('${entry}')`)
    const script = [...imports, "console.log('imported')"].join('\n')
    const imported = await runProgram(['--input-type=module', '--eval', script], { cwd: shop })
    expect(imported).toEqual({ code: 0, output: 'imported\n', errors: '' })
    const required = "for (const each of ['', '/node']) require('@pi-checkout/server' + each)"
    expect(await runProgram(['--eval', required], { cwd: shop })).toMatchObject({ code: 0 })
    const start = ['@pi-checkout/service', 'start', '--memory', '--port', '0', '--json']
    const started = { command: 'npx', cwd: shop, env, detached: true }
    const { line, stop } = await startProgram(start, started)
    const { baseUrl, apiKey } = JSON.parse(line)
    const response = await fetch(`${baseUrl}/payment-intents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ amount: 150000, currency: 'amd', orderId: 'A-1001' }),
    })
    expect([response.status, (await response.json()).currency]).toEqual([201, 'AMD'])
    await stop()
    await expect(fetch(`${baseUrl}/healthz`)).rejects.toThrow()
  })
}

const blocks = documents().flatMap((document) => document.blocks)
const scripts = blocks
  .filter((block) => printedBy(block).length > 0)
  .map((block, index) => ({ ...block, name: `script-${index}.mjs` }))
const tests = blocks.filter(({ code }) => code.includes("from 'node:test'"))

for (const version of nodeVersions) {
  test.concurrent(`Node ${version}: the documents' examples and tests run on the tarballs`, {
    timeout: 300_000,
  }, async ({ skip, expect }) => {
    let node
    try {
      node = nodeBinary(version)
    } catch (error) {
      // Continuous integration must test every version.
      if (process.env.CI) throw error
      skip(`Node ${version} could not be downloaded`)
    }
    for (const { name, code } of [...scripts, ...tests]) writeFileSync(join(home, name), code)
    const files = tests.map(({ name }) => name).join(' ')
    const commands = scripts.map(({ name }) => `"${node}" ${name}`)
    const command = [...commands, `"${node}" --test --test-reporter=tap ${files}`].join(' && ')
    const piService = join(home, 'node_modules/@pi-checkout/service/bin/pi-service.mjs')
    const args = [piService, 'exec', '--', 'sh', '-c', command]
    // The tests that the documents show must not see the runner that runs this.
    const env = { NODE_ENV: undefined, VITEST: undefined }
    const { code, output, errors } = await runProgram(args, { command: node, cwd: home, env })
    const printed = output.slice(0, output.indexOf('TAP version')).trim().split('\n')
    expect(printed).toEqual(scripts.flatMap(printedBy))
    const all = output + errors
    expect([code, /^# pass (\d+)$/m.exec(output)?.[1], all]).toEqual([0, '2', all])
  })
}

const strict = {
  module: 'esnext',
  moduleResolution: 'bundler',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noUncheckedSideEffectImports: true,
  noEmit: true,
}
const web = { target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'] }

// attw resolves every entry with nodenext and node16.
test.concurrent.each([
  ['TypeScript 5', 5, /./, { ...web, types: ['node'] }],
  ['TypeScript 7', 7, /./, { ...web, types: ['node'] }],
  [
    'ES2020 for Workers',
    7,
    /server(?:\/testing)?$/,
    { lib: ['es2020'], types: ['@cloudflare/workers-types'] },
  ],
  ['ES2022 without other types', 7, /service/, { ...web, types: [] }],
])(
  'the types of each entry compile with %s',
  {
    timeout: 300_000,
  },
  async (name, version, selected, options) => {
    const sources = join(home, name.replaceAll(' ', '-'))
    mkdirSync(sources)
    const entries = published.flatMap(entriesOf).filter((entry) => selected.test(entry))
    expect(entries.length).toBeGreaterThan(0)
    writeFileSync(join(sources, 'all.ts'), entries.map((entry) => `import '${entry}'\n`).join(''))
    const compilerOptions = { ...strict, ...options }
    writeFileSync(join(sources, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    const tsc = join(home, `node_modules/typescript-${version}/bin/tsc`)
    expect((await runProgram([tsc, '-p', sources], { cwd: home })).output).toBe('')
  },
)

for (const [runner, command] of [
  ['Jest', ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--env=jsdom']],
  ['Vitest', ['node_modules/vitest/vitest.mjs', 'run', '--environment=jsdom', '--globals']],
]) {
  test(`${runner} with jsdom imports and renders the element`, { timeout: 120_000 }, async () => {
    const code = `
      import { createElement } from 'react'
      import { renderToString } from 'react-dom/server.node'
      import { configureCheckout } from '@pi-checkout/element'
      import { PiCheckout } from '@pi-checkout/element/react'
      test('renders', async () => {
        configureCheckout({ checkoutOrigin: 'https://pay.example' })
        document.body.innerHTML = '<pi-checkout></pi-checkout>'
        const pay = document.querySelector('pi-checkout')
        await pay.updateComplete
        expect([pay.state, pay.shadowRoot === null]).toEqual(['idle', false])
        const handoff = { id: 'pi_1', clientSecret: 'pi_1_secret_x' }
        expect(renderToString(createElement(PiCheckout, { handoff }))).toBe('<pi-checkout></pi-checkout>')
      })`
    writeFileSync(join(home, 'element.test.js'), code)
    const env = { NODE_ENV: undefined, VITEST: undefined, CI: 'true' }
    const args = [...command, 'element.test.js']
    const ran = await runProgram(args, { cwd: home, env })
    expect([ran.code, ran.code === 0 ? '' : ran.output + ran.errors]).toEqual([0, ''])
    expect(ran.output + ran.errors).toMatch(/1 passed/)
  })
}

/** What imports a package: its name, and with each of its subpaths. */
function entriesOf(name) {
  const manifest = join(home, 'node_modules/@pi-checkout', name, 'package.json')
  const paths = Object.keys(JSON.parse(readFileSync(manifest, 'utf8')).exports)
  const modules = paths.filter((path) => !path.endsWith('.json'))
  return modules.map((path) => `@pi-checkout/${name}${path.slice(1)}`)
}

/** What a block of code prints, if it shows that. */
function printedBy({ code }) {
  return [...code.matchAll(/console\.log.*\/\/ (.+)$/gm)].map(([, text]) => text)
}
