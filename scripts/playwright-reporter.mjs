// Adds the result of each of Playwright's tests to those of the run.
import { addErrors, addResult } from './results.mjs'

/** A reporter of Playwright. */
export default class {
  onTestEnd(test, { errors }) {
    const name = test.titlePath().filter(Boolean).join(' > ')
    const reason = test.annotations.find(({ type }) => type === 'skip')?.description
    if (test.outcome() === 'expected') addResult({ state: 'passed', name })
    else if (test.outcome() === 'skipped') addResult({ state: 'skipped', name, text: reason })
    else addErrors(name, errors)
  }

  onError(error) {
    addErrors('outside of the tests', [error])
  }
}
