// Adds the result of each of Vitest's tests to those of the run.
import { addErrors, addResult } from './results.mjs'

/** A reporter of Vitest. */
export default class {
  onTestRunEnd(modules, errors) {
    addErrors('outside of the tests', errors)
    for (const module of modules) {
      const file = `${module.project.name} > ${module.relativeModuleId}`
      for (const suite of [module, ...module.children.allSuites()]) addErrors(file, suite.errors())
      for (const test of module.children.allTests()) {
        const { state, errors: thrown = [], note = 'needs another system' } = test.result()
        const name = `${file} > ${test.fullName}`
        if (state === 'failed') addErrors(name, thrown)
        else addResult({ state, name, text: note })
      }
    }
  }
}
