// The results of a run in one file, to which each step and each runner's reporter adds its own.
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './files.mjs'

const file = join(root, '.cache/results.jsonl')

/** Begins a run without results. */
export function clearResults() {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '')
}

/**
 * @param result - Its `state`, `passed`, `failed`, or `skipped`; its `name`; as `text` the errors or the reason; `hasFailed`
 * of a skipped test that makes its runner exit with an error.
 */
export function addResult(result) {
  appendFileSync(file, `${JSON.stringify(result)}\n`)
}

/**
 * Adds what failed, if anything did. What needs a program that is not installed was skipped, although its runner says that
 * it failed. Playwright has the name of an error in its message only.
 */
export function addErrors(name, errors) {
  const missing = errors.find((error) => /^MissingProgram\b/.test(error.name ?? error.message))
  const text = errors.map(({ message, stack }) => stack ?? message).join('\n')
  if (missing) addResult({ state: 'skipped', name, text: missing.message, hasFailed: true })
  else if (errors.length > 0) addResult({ state: 'failed', name, text })
}

/** Returns all results since the beginning. */
export function readResults() {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line))
}
