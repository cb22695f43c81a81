/** Fails a test in which the event loop stands still for a second, as with a slow statement of the embedded store. @module */
import { existsSync, readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeEach, expect } from 'vitest'

// Tests replace these functions.
const now = performance.now.bind(performance)
const timer = setInterval(observe, 50).unref()
const stop = clearInterval

let last = { at: now(), used: used() }
let longest = 0

/** Counts the time that this thread has used, so that a busy machine fails no test. */
function observe(): void {
  longest = Math.max(longest, Math.min(now() - last.at, used() - last.used))
  last = { at: now(), used: used() }
}

/** Milliseconds. Without Linux, those of the threads that collect garbage and compile, too. */
function used(): number {
  const path = '/proc/thread-self/schedstat'
  if (existsSync(path)) return Number(readFileSync(path, 'utf8').split(' ', 1)) / 1e6
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

beforeEach(() => {
  observe()
  longest = 0
})

afterEach(() => {
  observe()
  expect(longest, 'milliseconds in which the event loop stood still').toBeLessThan(1000)
})

afterAll(() => stop(timer))
