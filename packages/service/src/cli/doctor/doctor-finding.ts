/** Findings of the doctor, with their fixes. @module */

export interface DoctorFinding {
  readonly about: string
  /** `warn` if the subject may stop working, `fail` if it does not work. */
  readonly level: 'ok' | 'warn' | 'fail'
  readonly found: string
  /** Fix. Absent for `ok`. */
  readonly advice?: string
}

export function ok(about: string, found: string): DoctorFinding {
  return { about, level: 'ok', found }
}

export function warn(about: string, found: string, advice: string): DoctorFinding {
  return { about, level: 'warn', found, advice }
}

export function fail(about: string, found: string, advice: string): DoctorFinding {
  return { about, level: 'fail', found, advice }
}
