/** `npm run bench`: compares what is built with baselines that take turns with it. @module */
import { measure as measureElement } from './element.ts'
import { measure as measureService } from './service.ts'

const rows = [...(await measureElement()), ...(await measureService())]
console.log('Ours divided by the baseline, the median of the rounds')
console.table(rows)
process.exit(rows.every(({ met }) => met) ? 0 : 1)
