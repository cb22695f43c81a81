// A folder in which the code of the documents stands as files beside everything that a reader could install.
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
import { published } from '../pack.mjs'
import { root } from './documents.mjs'

const home = join(root, '.cache/docs')
const rooms = [
  'packages/server',
  'packages/element',
  'packages/service',
  'demo',
  'demo/examples',
  'e2e',
  '.',
]
const surroundings = ['surroundings.d.ts', 'surroundings.mjs']

// A reader of plain JavaScript declares no types: some parameters stay unknown.
const untyped = /type 'unknown'/

/** Empties the folder and furnishes it anew. */
export function furnish() {
  rmSync(home, { recursive: true, force: true })
  mkdirSync(join(home, 'node_modules/@pi-checkout'), { recursive: true })
  // The contract's own document shows code, too.
  for (const room of [...published, 'contract']) {
    link(join(root, 'packages', room), `@pi-checkout/${room}`)
  }
  for (const room of rooms) {
    const path = join(root, room, 'package.json')
    if (!existsSync(path)) continue
    const { dependencies, devDependencies } = JSON.parse(readFileSync(path, 'utf8'))
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      link(join(root, room, 'node_modules', name), name)
    }
  }
  for (const name of surroundings)
    copyFileSync(join(root, 'packages/tooling/docs', name), join(home, name))
  writeFileSync(join(home, 'package.json'), '{ "type": "module", "private": true }\n')
  for (const [name, config] of Object.entries(projects)) {
    writeFileSync(join(home, name), JSON.stringify(config))
  }
}

const shared = {
  lib: ['ES2023', 'ES2024.String', 'DOM', 'DOM.Iterable'],
  types: ['node'],
  jsx: 'react-jsx',
  noUnusedLocals: false,
  noUnusedParameters: false,
}

const projects = {
  'tsconfig.json': {
    extends: '../../tsconfig.json',
    compilerOptions: shared,
    include: ['surroundings.d.ts', '*/**/*.ts', '*/**/*.tsx', '*/**/*.mts'],
    exclude: ['node_modules'],
  },
  'jsconfig.json': {
    extends: '../../tsconfig.json',
    compilerOptions: {
      ...shared,
      allowJs: true,
      checkJs: true,
      strict: false,
      exactOptionalPropertyTypes: false,
      noImplicitReturns: false,
    },
    include: ['surroundings.d.ts', '*/**/*.js', '*/**/*.mjs', '*/**/*.jsx'],
    exclude: ['node_modules'],
  },
}

/** Writes code of a block where it can be checked and run. @returns Its path below the folder. */
export function place({ path, line, name, code }, extension) {
  const folder = path.replace(/\.md$/, '').replaceAll('/', '-').replace(/^\./, '_')
  const file = join(folder, name ?? `line-${line}.${extension}`)
  mkdirSync(dirname(join(home, file)), { recursive: true })
  writeFileSync(join(home, file), `${code}export {}\n`)
  return file
}

/** Type-checks everything that was placed. @returns Each file's faults, as `line: text` of the block. */
export function typeFaults() {
  const tsc = join(root, 'node_modules/.bin/tsc')
  const faults = new Map()
  for (const project of Object.keys(projects)) {
    const args = ['--pretty', 'false', '-p', project]
    const { stdout, stderr } = spawnSync(tsc, args, { cwd: home, encoding: 'utf8' })
    for (const line of (stdout + stderr).split('\n')) {
      const [, file, at, text] = /^([^\s(]+)\((\d+),\d+\): error TS\d+: (.*)$/.exec(line) ?? []
      if (/^error/.test(line)) throw new Error(line)
      if (!file) continue // The rest of a message of several lines.
      if (/\.m?jsx?$/.test(file) && untyped.test(text)) continue
      const told = `line ${at} of the block: ${text}`
      faults.set(file, [...(faults.get(file) ?? []), told])
    }
  }
  return faults
}

/** Runs a placed file beside a fake service and the shop's own things, on the built packages as a reader would. */
export function runPlaced(file, { test = false } = {}) {
  const typed = file.endsWith('.ts') ? ['--conditions=source', '--import=tsx'] : []
  const args = [...typed, '--import=./surroundings.mjs', ...(test ? ['--test'] : []), file]
  return ended(process.execPath, args, { cwd: home })
}

/** Runs a placed file of tests with the variables of a real service, as `pi-service exec -- node --test FILE` does. */
export function runWithService(file, env) {
  return ended(process.execPath, ['--test', file], { cwd: home, env })
}

/** Runs a placed file with Vitest, as its reader would. */
export function runVitest(file) {
  const bin = join(root, 'node_modules/.bin/vitest')
  const config = join(home, 'vitest.config.mjs')
  writeFileSync(config, "export default { ssr: { resolve: { conditions: ['source'] } } }\n")
  return ended(bin, ['run', '--root', home, file], { cwd: home })
}

export async function ended(command, args, { cwd, env } = {}) {
  // What runs these tests must not reach the tests that the documents show.
  const own = { ...env, NODE_TEST_CONTEXT: undefined, VITEST: undefined }
  const { code, output, errors } = await runProgram(args, { command, cwd, env: own })
  return { status: code, stdout: output, stderr: errors }
}

function link(from, name) {
  const to = join(home, 'node_modules', name)
  if (existsSync(to) || !existsSync(from)) return
  mkdirSync(dirname(to), { recursive: true })
  symlinkSync(from, to)
}
