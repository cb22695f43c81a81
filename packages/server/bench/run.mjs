// `npm run bench [-- --json FILE]`: the built package against its peers, as ratios of one run.
// Ratios of CPU time stand beside those of the clock: a busy machine spoils only the latter.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { measureCalls } from './calls.mjs'
import { measureStarts } from './starts.mjs'

const targets = [
  { title: 'create(), one at a time', most: 1.15, of: 'fetch', pick: call('create', 1) },
  { title: 'create(), 32 at once', most: 1.3, of: 'fetch', pick: call('create', 32) },
  { title: 'retrieve(), one at a time', most: 1.15, of: 'fetch', pick: call('retrieve', 1) },
  { title: 'retrieve(), 32 at once', most: 1.3, of: 'fetch', pick: call('retrieve', 32) },
  { title: 'import', most: 0.5, of: 'stripe', pick: start('import') },
  { title: 'import + first create', most: 0.5, of: 'stripe', pick: start('import + first create') },
]

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    rounds: { type: 'string', default: '31' },
    calls: { type: 'string', default: '500' },
    processes: { type: 'string', default: '21' },
  },
})
const server = fork(fileURLToPath(new URL('server.mjs', import.meta.url)))
const [port] = await once(server, 'message')
const calls = await measureCalls(port, {
  rounds: Number(values.rounds),
  calls: Number(values.calls),
})
const starts = measureStarts(port, { processes: Number(values.processes) })
server.disconnect()

const rows = targets.map(({ title, most, of, pick }) => {
  const { ratio, cpuRatio } = pick({ calls, starts })
  const target = `≤ ${most} × ${of}`
  return { title, ratio: round(ratio), cpuRatio: round(cpuRatio), target, met: ratio <= most }
})
console.table(
  calls.map(({ operation, concurrency, client, ...measured }) => ({
    operation,
    concurrency,
    client,
    'µs per call': Math.round(measured.microseconds),
    '× fetch': round(measured.ratio),
    'µs of CPU': Math.round(measured.cpuMicroseconds),
    'CPU × fetch': round(measured.cpuRatio),
  })),
)
console.table(
  starts.map(({ what, client, ...measured }) => ({
    what,
    client,
    ms: round(measured.milliseconds),
    '× stripe': round(measured.ratio),
    'ms of CPU': round(measured.cpuMilliseconds),
    'CPU × stripe': round(measured.cpuRatio),
  })),
)
console.table(rows)
if (values.json) {
  const report = { node: process.version, platform: process.platform, rows, calls, starts }
  writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`)
}

function call(operation, concurrency) {
  return ({ calls }) =>
    calls.find(
      (it) =>
        it.client === 'pi-checkout' && it.operation === operation && it.concurrency === concurrency,
    )
}

function start(what) {
  return ({ starts }) => starts.find((it) => it.client === 'pi-checkout' && it.what === what)
}

function round(value) {
  return Math.round(value * 100) / 100
}
