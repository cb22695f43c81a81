/** Measures one section of `rows.ts` and sends the result to `main.ts`: `section.ts NAME [--quick]`. @module */

import { sections } from './rows.ts'
import { type Measured, Samples, type Size } from './samples.ts'

/** The files in `run/` that measure a section. */
const runners: Readonly<Record<string, readonly string[]>> = {
  'packages/server': ['client', 'client-start', 'handoff'],
  'packages/element': ['element-size', 'element-mount'],
  'packages/service': ['service'],
}

const [, , name = '', quick] = process.argv
const samples = new Samples()
for (const file of runners[name] ?? []) {
  const { measure } = (await import(`./run/${file}.ts`)) as {
    measure: (samples: Samples, size: Size) => Promise<void>
  }
  await measure(samples, (full, small) => (quick ? small : full))
}
const measured: Measured = {
  rows: (sections[name] ?? []).map((definition) => samples.rowOf(definition)),
  figures: samples.medians(),
}
process.send?.(measured, () => process.exit())
