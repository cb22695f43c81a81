/** Why a search cannot run. @module */

/** The exploration could not run. The message says what to change. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}
