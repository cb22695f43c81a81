/**
 * What the doctor found about one thing, and what to do about it.
 *
 * @module
 */

/** `warning`: it works, and will not always. `fault`: it does not work. */
export interface DoctorFinding {
  readonly about: string
  readonly state: 'ok' | 'warning' | 'fault'
  readonly found: string
  /** What to do; an `ok` needs nothing. */
  readonly advice?: string
}

/** Everything is well. */
export function ok(about: string, found: string): DoctorFinding {
  return { about, state: 'ok', found }
}

/** It works, and will not always. */
export function warning(about: string, found: string, advice: string): DoctorFinding {
  return { about, state: 'warning', found, advice }
}

/** It does not work. */
export function fault(about: string, found: string, advice: string): DoctorFinding {
  return { about, state: 'fault', found, advice }
}
