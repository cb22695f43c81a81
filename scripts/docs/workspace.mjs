// A folder in which the code of the documents is written as files, with every package that a reader could install.
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { runProgram } from '@pi-checkout/test-support/process'
import { root } from '../files.mjs'

const home = join(root, '.cache/docs')
const folders = [
  'packages/server',
  'packages/element',
  'packages/service',
  'demo',
  'demo/examples',
  'e2e',
  '.',
]
const context = ['context.d.ts', 'context.mjs']

// Plain JavaScript declares no types: some parameters stay unknown.
const untyped = /type 'unknown'/

const options = {
  lib: ['ES2023', 'ES2024.String', 'DOM', 'DOM.Iterable'],
  types: ['node'],
  jsx: 'react-jsx',
  noUnusedLocals: false,
  noUnusedParameters: false,
}
const looser = {
  allowJs: true,
  checkJs: true,
  strict: false,
  exactOptionalPropertyTypes: false,
  noImplicitReturns: false,
}
const projects = {
  'tsconfig.json': projectOf(options, ['*/**/*.ts', '*/**/*.tsx', '*/**/*.mts']),
  'jsconfig.json': projectOf({ ...options, ...looser }, ['*/**/*.js', '*/**/*.mjs', '*/**/*.jsx']),
}

/** Creates the folder again. */
export function createWorkspace() {
  rmSync(home, { recursive: true, force: true })
  for (const name of ['server', 'element', 'service', 'explorer', 'contract']) {
    link(join(root, 'packages', name), `@pi-checkout/${name}`)
  }
  for (const folder of folders) {
    const path = join(root, folder, 'package.json')
    const { dependencies, devDependencies } = JSON.parse(readFileSync(path, 'utf8'))
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      link(join(root, folder, 'node_modules', name), name)
    }
  }
  for (const name of context) copyFileSync(join(import.meta.dirname, name), join(home, name))
  const configs = { ...projects, 'package.json': { type: 'module', private: true } }
  for (const [name, config] of Object.entries(configs)) {
    writeFileSync(join(home, name), JSON.stringify(config))
  }
}

/** Writes a block's code to a file. Returns its path below the folder. */
export function writeBlock({ path, line, name, code }, extension) {
  const folder = path.replace(/\.md$/, '').replaceAll('/', '-').replace(/^\./, '_')
  const file = join(folder, name ?? `line-${line}.${extension}`)
  mkdirSync(dirname(join(home, file)), { recursive: true })
  writeFileSync(join(home, file), code)
  return file
}

/** Type-checks all files. Returns the errors of each as `line: text`. */
export function typeErrors() {
  const tsc = join(root, 'node_modules/.bin/tsc')
  const errors = new Map()
  for (const project of Object.keys(projects)) {
    const args = ['--pretty', 'false', '-p', project]
    const { stdout, stderr } = spawnSync(tsc, args, { cwd: home, encoding: 'utf8' })
    for (const line of (stdout + stderr).split('\n')) {
      const [, file, at, text] = /^([^\s(]+)\((\d+),\d+\): error TS\d+: (.*)$/.exec(line) ?? []
      if (/^error/.test(line)) throw new Error(line)
      if (!file || (/\.m?jsx?$/.test(file) && untyped.test(text))) continue
      errors.set(file, [...(errors.get(file) ?? []), `line ${at} of the block: ${text}`])
    }
  }
  return errors
}

/** Parses all JSON, HTML, and CSS with Biome. Returns its report, or `undefined` if there are no errors. */
export function syntaxErrors() {
  const off = { enabled: false }
  const includes = ['json', 'html', 'css', 'vue', 'svelte'].map((extension) => `**/*.${extension}`)
  const linter = { rules: { preset: 'none' } }
  const config = { root: true, files: { includes }, linter, formatter: off, assist: off }
  writeFileSync(join(home, 'biome.json'), JSON.stringify(config))
  const args = ['check', '--vcs-enabled=false', '.']
  const biome = join(root, 'node_modules/.bin/biome')
  const { status, stdout, stderr } = spawnSync(biome, args, { cwd: home, encoding: 'utf8' })
  return status === 0 ? undefined : stdout + stderr
}

/** Runs a file next to a fake service, with the built packages as a reader would. */
export function runWithFake(file, { test = false } = {}) {
  const typed = file.endsWith('.ts') ? ['--conditions=source', '--import=tsx'] : []
  return run([...typed, '--import=./context.mjs', ...(test ? ['--test'] : []), file])
}

/** Runs a file of tests with the variables of a service, as `pi-service exec -- node --test FILE` does. */
export function runWithService(file, env) {
  return run(['--test', file], { env })
}

/** Runs a file with Vitest. */
export function runVitest(file) {
  const config = "export default { ssr: { resolve: { conditions: ['source'] } } }\n"
  writeFileSync(join(home, 'vitest.config.mjs'), config)
  return run(['run', '--root', home, file], { command: join(root, 'node_modules/.bin/vitest') })
}

/** Runs a shell command. */
export function runShell(command, env) {
  return run(['-c', command], { command: 'bash', env })
}

function run(args, { command, env } = {}) {
  // The tests that the documents show must not see the runner that runs this.
  const variables = { ...env, NODE_TEST_CONTEXT: undefined, VITEST: undefined }
  return runProgram(args, { command, cwd: home, env: variables })
}

function projectOf(compilerOptions, files) {
  const extended = '../../tsconfig.json'
  return {
    extends: extended,
    compilerOptions,
    include: ['context.d.ts', ...files],
    exclude: ['node_modules'],
    references: [],
  }
}

function link(from, name) {
  const to = join(home, 'node_modules', name)
  if (existsSync(to) || !existsSync(from)) return
  mkdirSync(dirname(to), { recursive: true })
  symlinkSync(from, to)
}
