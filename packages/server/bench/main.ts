/**
 * The built package against its peers, as ratios of one run: medians of interleaved rounds.
 *
 * `npm run bench [-- --json FILE --rounds 31 --calls 500 --processes 21 --handoffs 9]`
 *
 * @module
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { printRows } from '../../../.ci/bench/row.ts'
import { measureCalls } from './calls.ts'
import { measureHandoffs } from './handoffs.ts'
import { measureInstall } from './install.ts'
import { measureStarts } from './starts.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    rounds: { type: 'string', default: '31' },
    calls: { type: 'string', default: '500' },
    processes: { type: 'string', default: '21' },
    handoffs: { type: 'string', default: '9' },
  },
})
const server = fork(fileURLToPath(new URL('answering-server.ts', import.meta.url)))
const [port] = (await once(server, 'message')) as [number]
const measured = [
  await measureCalls(port, { rounds: Number(values.rounds), calls: Number(values.calls) }),
  measureStarts(port, { processes: Number(values.processes) }),
  measureInstall(),
  await measureHandoffs(port, { rounds: Number(values.handoffs), seconds: 1 }),
]
server.disconnect()

const rows = measured.flatMap((one) => one.rows)
const runs = measured.flatMap((one) => one.runs)
printRows(rows)
for (const { runs: some } of measured) console.table(some)
if (values.json) writeFileSync(values.json, `${JSON.stringify({ rows, runs }, null, 2)}\n`)
