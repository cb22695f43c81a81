/** Why a search ends without a result. @module */

/** The exploration could not run. The message says what to change. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}

/** The time of the search is over. */
export class TimeOver extends Error {
  override readonly name = 'TimeOver'
}
