// What npm would publish: packed, installed in an empty folder, and used there as a merchant would.
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@pi-checkout/test-support/free-port'
import { runProgram, startProgram } from '@pi-checkout/test-support/process'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readDocument } from './docs/documents.mjs'
import { root } from './files.mjs'
import { nodeBinary, nodeVersions } from './node-versions.mjs'
import { pack, published } from './pack.mjs'
import { pnpm } from './pnpm.mjs'

const folder = mkdtempSync(join(tmpdir(), 'pi-packages-'))
// Like pnpm and npx, which install below a folder with a dot.
const home = join(folder, '.npx/shop')
const piService = join(home, 'node_modules/.bin/pi-service')
let tarballs = new Map()

beforeAll(() => {
  mkdirSync(home, { recursive: true })
  tarballs = pack(join(home, 'vendor'))
  writeFileSync(join(home, 'package.json'), '{ "private": true }')
  const cache = join(root, '.cache/npm')
  const options = ['--no-audit', '--no-fund', '--prefer-offline', `--cache=${cache}`]
  run('npm', ['install', ...options, 'express', 'react', ...tarballs.values()])
  for (const { name = 'readme.mjs', code } of [script, ...tests])
    writeFileSync(join(home, name), code)
}, 600_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }), 300_000)

for (const name of published) {
  test(`${name}: the package contains its listed folders only`, () => {
    const { stdout } = run('tar', ['-tzf', tarballs.get(name)])
    const allowed =
      /^package\/(?:dist|src|bin)\/|^package\/guides\/[\w-]+\.md$|^package\/(?:package\.json|README\.md|LICENSE|llms\.txt)$/
    const files = stdout.trim().split('\n')
    expect(files.filter((file) => !allowed.test(file))).toEqual([])
    expect(files.filter((file) => /\.env|\.test\./.test(file))).toEqual([])
    expect(files).toContain('package/LICENSE')
    expect(files).toContain('package/README.md')
    const readme = readFileSync(join(installed(name), 'README.md'), 'utf8')
    for (const [, link] of readme.matchAll(/\]\((?:\.\/)?(guides\/[^)#]+)/g)) {
      expect(files).toContain(`package/${link}`)
    }
  })

  test(`${name}: the manifest has what npm shows, and no workspace versions`, () => {
    const manifest = manifestOf(name)
    expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:|"source"/)
    // Each package installs alone, except that the explorer starts the service. pnpm and Yarn take only a peer from
    // another tarball.
    const { dependencies = {}, peerDependencies = {} } = manifest
    const ours = [dependencies, peerDependencies].map((needed) =>
      Object.keys(needed).filter((needs) => needs.startsWith('@pi-checkout/')),
    )
    expect(ours).toEqual([[], name === 'explorer' ? ['@pi-checkout/service'] : []])
    expect(manifest).toMatchObject({
      description: expect.any(String),
      license: 'MIT',
      type: 'module',
      engines: { node: '>=20.19' },
      files: expect.any(Array),
      repository: { type: 'git', directory: `packages/${name}` },
    })
    for (const entry of Object.values(manifest.exports)) {
      if (typeof entry === 'object') expect(Object.keys(entry)[0]).toBe('types')
    }
  })

  test(`${name}: publint finds no problem in the tarball`, async () => {
    const { buffer } = readFileSync(tarballs.get(name))
    const { messages, pkg } = await publint({ pack: { tarball: buffer } })
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  })

  test(`${name}: every entry has types that resolve like its code`, {
    timeout: 60_000,
  }, async () => {
    const attw = join(import.meta.dirname, 'node_modules/.bin/attw')
    const args = [tarballs.get(name), '--profile', 'esm-only', '--format', 'ascii']
    const { code, output, errors } = await runProgram(args, { command: attw, cwd: home })
    expect([code, code === 0 ? '' : output + errors]).toEqual([0, ''])
  })

  test(`${name}: code and types import installed packages only`, () => {
    const manifest = manifestOf(name)
    const { dependencies = {}, peerDependencies = {} } = manifest
    const available = [
      manifest.name,
      ...Object.keys(dependencies),
      ...Object.keys(peerDependencies),
    ]
    expect(packagesNamedIn(join(installed(name), 'dist')).filter(isMissingFrom(available))).toEqual(
      [],
    )
  })

  test(`${name}: every entry imports in Node.js without output`, {
    timeout: 60_000,
  }, () => {
    const { exports = {}, bin = {} } = manifestOf(name)
    const entries = Object.keys(exports).filter((entry) => !entry.endsWith('.json'))
    for (const target of Object.values(bin)) {
      expect(existsSync(join(installed(name), target))).toBe(true)
    }
    for (const entry of entries) {
      const specifier = join('@pi-checkout', name, entry)
      const code = `await import('${specifier}'); console.log('imported')`
      const { stdout } = run(process.execPath, ['--input-type=module', '--eval', code])
      expect([specifier, stdout]).toEqual([specifier, 'imported\n'])
      if (name === 'server') run(process.execPath, ['--eval', `require('${specifier}')`])
    }
  })
}

test('service: the types compile with ES2022 and without other types', { timeout: 60_000 }, () => {
  const code =
    "import { startService } from '@pi-checkout/service'\nawait (await startService()).stop()\n"
  writeFileSync(join(home, 'service.mts'), code)
  const options =
    '--strict --noEmit --skipLibCheck false --ignoreConfig --target es2022 --module nodenext --lib es2022,dom'
  const args = [...options.split(' '), '--types', '', 'service.mts']
  run(join(root, 'node_modules/.bin/tsc'), args)
})

const [script] = readDocument('packages/server/README.md').blocks.filter(
  (block) => isScript(block) && printedBy(block).length > 0,
)
const tests = readDocument('packages/server/guides/testing.md').blocks.filter(isTest)

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
      console.warn(`NOT TESTED with Node ${version}: ${error.message}`)
      skip(`Node ${version} could not be downloaded`)
    }
    const files = tests.map(({ name }) => name).join(' ')
    const command = `"${node}" readme.mjs && "${node}" --test --test-reporter=tap ${files}`
    const args = [piService, 'exec', '--', 'sh', '-c', command]
    const { code, output, errors } = await runProgram(args, { command: node, cwd: home })
    const printed = output.slice(0, output.indexOf('TAP version')).trim().split('\n')
    expect(printed).toEqual(printedBy(script))
    const all = output + errors
    expect([code, /^# pass (\d+)$/m.exec(output)?.[1], all]).toEqual([0, '2', all])
  })
}

test("the root README's two files are a shop with one intent whose page loads the checkout", {
  timeout: 60_000,
}, async () => {
  for (const { name, code } of readDocument('README.md').blocks) {
    if (name) writeFileSync(join(home, name), code)
  }
  const env = {
    PORT: String(await freePort()),
  }
  const { line: shop, stop } = await start(['pi-service', 'exec', '--', 'node', 'shop.mjs'], env)
  const page = await (await fetch(shop)).text()
  const [, script] = /src="([^"]+)"/.exec(page)
  expect((await fetch(script)).status).toBe(200)
  const headers = { origin: shop, 'content-type': 'application/json' }
  const send = () => fetch(`${shop}/checkout/handoff`, { method: 'POST', headers, body: '{}' })
  const [one, two] = [await (await send()).json(), await (await send()).json()]
  expect(Object.keys(one)).toEqual(['id', 'clientSecret', 'orderId'])
  expect(two).toEqual(one)
  await stop()
})

test('npx @pi-checkout/service starts, accepts a create, and stops', {
  timeout: 60_000,
}, async () => {
  const args = ['@pi-checkout/service', 'start', '--memory', '--port', '0', '--json']
  const { line, stop } = await start(args)
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

const managers = [
  ['pnpm', [pnpm, 'install', '--prefer-offline', '--ignore-workspace']],
  ['Yarn 1', ['yarn@1.22.22', 'install', '--prefer-offline', '--no-lockfile']],
  ['Yarn 4', ['@yarnpkg/cli-dist@4.18.1', 'install']],
]
// The explorer, with the service that it needs, has most dependencies. The other packages have none.
for (const [manager, args] of managers) {
  test.concurrent(`service and explorer install with ${manager}, and start`, {
    timeout: 300_000,
  }, async ({ expect }) => {
    const shop = join(folder, '.alone', manager.replace(' ', '-'))
    mkdirSync(shop, { recursive: true })
    const dependencies = Object.fromEntries(
      ['service', 'explorer'].map((each) => [`@pi-checkout/${each}`, `file:${tarballs.get(each)}`]),
    )
    writeFileSync(join(shop, 'package.json'), JSON.stringify({ private: true, dependencies }))
    writeFileSync(join(shop, '.yarnrc.yml'), 'nodeLinker: node-modules\nenableTelemetry: false\n')
    writeFileSync(join(shop, 'yarn.lock'), '')
    const env = { CI: undefined, YARN_ENABLE_IMMUTABLE_INSTALLS: 'false' }
    const options = { command: 'npx', cwd: shop, env }
    const { code, output, errors } = await runProgram(['--yes', ...args], options)
    expect([code, code === 0 ? '' : output + errors]).toEqual([0, ''])

    const importing = "await import('@pi-checkout/explorer'); console.log('imported')"
    const explorer = await runProgram(['--input-type=module', '--eval', importing], { cwd: shop })
    expect(explorer).toMatchObject({ code: 0, output: 'imported\n', errors: '' })
    const bin = join(shop, 'node_modules/@pi-checkout/service/bin/pi-service.mjs')
    const started = [bin, 'start', '--memory', '--port', '0', '--json']
    const { line, stop } = await startProgram(started, { cwd: shop })
    expect((await fetch(`${JSON.parse(line).baseUrl}/healthz`)).status).toBe(200)
    await stop()
  })
}

/** Returns each import of a package in a folder's modules and declarations. */
function packagesNamedIn(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((path) => /\.(?:js|ts)$/.test(path))
  return files.flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8')
    const imports = text.matchAll(
      /^(?:import|export) (?:.* from )?['"]([^'".][^'"]*)['"]|\bimport\(["']([^'".]+?)["']\)/gm,
    )
    return [...imports].map(([, fixed, dynamic]) => ({ file, specifier: fixed ?? dynamic }))
  })
}

function isMissingFrom(available) {
  return ({ specifier }) =>
    !isBuiltin(specifier) &&
    !available.some((name) => specifier === name || specifier.startsWith(`${name}/`))
}

/** A block that shows what it prints. */
function isScript(block) {
  return printedBy(block).length > 0
}

function isTest({ name }) {
  return name?.endsWith('.test.mjs')
}

function printedBy({ code }) {
  return [...code.matchAll(/console\.log.*\/\/ (.+)$/gm)].map(([, text]) => text)
}

function installed(packageName) {
  return join(home, 'node_modules/@pi-checkout', packageName)
}

function manifestOf(packageName) {
  return JSON.parse(readFileSync(join(installed(packageName), 'package.json'), 'utf8'))
}

function run(command, args) {
  const done = spawnSync(command, args, { cwd: home, encoding: 'utf8' })
  if (done.status !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${done.stdout}${done.stderr}`)
  return done
}

/** In a process group: npx starts the program in a shell. */
async function start(args, env = {}) {
  return await startProgram(args, { command: 'npx', cwd: home, env, detached: true })
}
