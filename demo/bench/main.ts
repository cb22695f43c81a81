/**
 * Measures the built demo at the built service: a payment from the click to `paid`, and a cold start.
 *
 * `npm run bench [-- --json FILE --payments 15 --starts 3]`
 *
 * @module
 */
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { printRows } from '../../.ci/bench/row.ts'
import { registerShop, startHouse } from './house.ts'
import { measurePayments } from './payments.ts'
import { measureStarts } from './starts.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    payments: { type: 'string', default: '15' },
    starts: { type: 'string', default: '3' },
  },
})
const data = await mkdtemp(join(tmpdir(), 'pi-bench-'))
const house = await startHouse(data)
await registerShop(data, house.shopUrl)
const payments = await measurePayments(house, { rounds: Number(values.payments) })
await house.stop()
await rm(data, { recursive: true, force: true })
const starts = await measureStarts({ rounds: Number(values.starts) })

const rows = [...payments.rows, ...starts.rows]
const runs = [...payments.runs, ...starts.runs]
printRows(rows)
console.table(payments.runs)
console.table(starts.runs)
if (values.json) writeFileSync(values.json, `${JSON.stringify({ rows, runs }, null, 2)}\n`)
