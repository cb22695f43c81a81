/** The seed of what tests generate. A failure prints `PI_SEED=…`, which generates the same again. @module */

// Workers of a test runner inherit it.
process.env.PI_SEED ??= String(Math.floor(Math.random() * 2 ** 31))

/** New for each run, unless `PI_SEED` names it. */
export const seed = Number(process.env.PI_SEED)
