/**
 * What the doctor found about one subject, and what to do about it.
 *
 * @module
 */

export interface DoctorFinding {
  readonly about: string
  /** `warn`: it works now, but may stop working. `fail`: it does not work. */
  readonly level: 'ok' | 'warn' | 'fail'
  readonly found: string
  /** What to do. Absent for `ok`. */
  readonly advice?: string
}

/** Creates a finding that needs no action. */
export function ok(about: string, found: string): DoctorFinding {
  return { about, level: 'ok', found }
}

/** Creates a finding about what may stop working. */
export function warn(about: string, found: string, advice: string): DoctorFinding {
  return { about, level: 'warn', found, advice }
}

/** Creates a finding about what does not work. */
export function fail(about: string, found: string, advice: string): DoctorFinding {
  return { about, level: 'fail', found, advice }
}
