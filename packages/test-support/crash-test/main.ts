/** `node --import tsx packages/test-support/crash-test/main.ts [--seconds 30 --instances 3 --json]` @module */
import { parseArgs } from 'node:util'
import { postgresBinaries } from '../src/postgres.ts'
import { type CrashReport, crashTestEmbedded, crashTestPostgres } from './crash-test.ts'

const { values } = parseArgs({
  options: {
    instances: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '30' },
    json: { type: 'boolean', default: false },
  },
})
const instances = readCount('instances')
const seconds = readCount('seconds')

const reports: CrashReport[] = []
if (postgresBinaries) reports.push(await crashTestPostgres({ instances, seconds }))
else console.error('PostgreSQL is not installed: only the embedded store is tested')
reports.push(await crashTestEmbedded({ seconds }))
if (values.json) console.log(JSON.stringify(reports))
else console.table(reports)
if (reports.some(({ duplicates, missing }) => duplicates + missing > 0)) process.exitCode = 1

function readCount(name: 'instances' | 'seconds'): number {
  const count = Number(values[name])
  if (Number.isInteger(count) && count >= 1 && count <= 3600) return count
  throw new TypeError(`--${name}: must be an integer from 1 to 3600; received "${values[name]}".`)
}
