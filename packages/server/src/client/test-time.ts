/**
 * Time and randomness of a test. `fakeTime()` passes them under a symbol, so that they are no options of production code.
 *
 * @module
 */

/** What a test replaces. */
export interface TestTime {
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** A number from 0 to 1, exclusive. */
  readonly random: () => number
  /** Waits, and rejects if the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

const key = Symbol.for('pi-checkout.test-time')

/** Returns options that contain a test's time. */
export function optionsWith(time: Partial<TestTime>): object {
  return { [key]: time }
}

/** Returns the time that the options of a test contain. */
export function testTimeOf(options: object): Partial<TestTime> {
  return (Reflect.get(options, key) as Partial<TestTime> | undefined) ?? {} // Written by `optionsWith` only.
}
