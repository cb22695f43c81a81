/**
 * `npm run bench -- [--only SECTION] [--quick]`: compares what is built with baselines that take turns with it. `--quick`
 * measures each row once and briefly.
 *
 * @module
 */
import { parseArgs } from 'node:util'
import { measure as element } from './element.ts'
import { measure as service } from './service.ts'

const { values } = parseArgs({
  options: { only: { type: 'string' }, quick: { type: 'boolean', default: false } },
})
const sections = {
  'packages/element': element,
  'packages/service': service,
}
if (values.only !== undefined && !Object.hasOwn(sections, values.only)) {
  throw new Error(`--only must be one of ${Object.keys(sections).join(', ')}.`)
}
let missed = 0
for (const [name, measure] of Object.entries(sections)) {
  if (values.only && values.only !== name) continue
  const rows = await measure((full, quick) => (values.quick ? quick : full))
  console.log(`${name}: ours divided by the baseline, the median of the rounds`)
  console.table(rows)
  missed += rows.filter(({ met }) => !met).length
}
process.exit(missed === 0 ? 0 : 1)
