/** Fails a test in which the event loop stands still for a second, as with a slow statement of the embedded store. @module */
import { afterAll, afterEach, beforeEach, expect } from 'vitest'

// Tests replace these functions.
const now = performance.now.bind(performance)
const timer = setInterval(observe, 50).unref()
const stop = clearInterval

let last = { at: now(), used: process.cpuUsage() }
let longest = 0

/** Counts the time that this process has used, so that a busy machine fails no test. */
function observe(): void {
  const { user, system } = process.cpuUsage(last.used)
  longest = Math.max(longest, Math.min(now() - last.at, (user + system) / 1000))
  last = { at: now(), used: process.cpuUsage() }
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
