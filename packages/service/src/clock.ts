/** Reads the clock of the machine. @module */

export function realNow(): Date {
  return new Date()
}
