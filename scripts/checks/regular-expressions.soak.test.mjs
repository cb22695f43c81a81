// Every regular expression in the packages' sources takes time that is at most linear in its input.
import { createRequire } from 'node:module'
import { parseSync, Visitor } from 'vite'
import { expect, test } from 'vitest'
import { repositoryFiles } from '../files.mjs'

const { check } = createRequire(import.meta.url)('recheck')

/** For one expression, in milliseconds. One that takes longer to analyze is too intricate: rewrite it. */
const timeout = 120_000

test('finds expressions that take more than linear time', async () => {
  expect(await errorOf({ source: '0+$', flags: '' })).toMatch(/polynomial/)
  expect(await errorOf({ source: '^(a|a)*$', flags: '' })).toMatch(/exponential/)
  expect(await errorOf({ source: '^[a-z]+$', flags: 'i' })).toBeUndefined()
}, 300_000)

test('every expression in the sources of the packages takes linear time', async () => {
  const { literals, dynamic } = expressionsOf(sourceFiles())
  expect(literals.size).toBeGreaterThan(80)
  const wrong = []
  for (const { source, flags, at } of literals.values()) {
    const error = await errorOf({ source, flags })
    if (error) wrong.push(`/${source}/${flags} ${error} (${at})`)
  }
  expect(wrong).toEqual([])
  // An expression that is created at run time cannot be analyzed here.
  expect(dynamic).toEqual([])
}, 600_000)

async function errorOf({ source, flags }) {
  let found
  // An unproven expression is timed: on a busy machine only an error that repeats counts.
  for (let tries = 0; tries < 3; tries++) {
    const { status, complexity, error, checker } = await check(source, flags, { timeout })
    if (status === 'safe') return undefined
    found = complexity?.summary ?? error?.kind ?? status
    if (checker === 'automaton') return found
  }
  return found
}

function sourceFiles() {
  const extensions = ['ts', 'tsx', 'mts', 'js', 'mjs', 'cjs']
  const patterns = ['src', 'shared', 'hosted', 'bin'].flatMap((folder) =>
    extensions.map((extension) => `:(glob)packages/*/${folder}/**/*.${extension}`),
  )
  return repositoryFiles(...patterns).filter(({ path }) => !/test-support|vite\.config/.test(path))
}

function expressionsOf(files) {
  const literals = new Map()
  const dynamic = []
  for (const { path: at, text } of files) {
    const { program, errors } = parseSync(at, text)
    expect(errors, at).toEqual([])
    const findDynamic = ({ callee }) => {
      if (callee.name === 'RegExp') dynamic.push(at)
    }
    new Visitor({
      Literal({ regex }) {
        if (!regex) return
        const { pattern: source, flags } = regex
        literals.set(`/${source}/${flags}`, { source, flags, at })
      },
      NewExpression: findDynamic,
      CallExpression: findDynamic,
    }).visit(program)
  }
  return { literals, dynamic }
}
