/**
 * Measures the element against what a shop would use instead; every figure is a ratio of one run.
 *
 * `npm run bench -- --json FILE` writes rows and absolute figures as JSON too.
 *
 * @module
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { printRows } from '../../../.ci/bench/row.ts'
import { measureMounts } from './mount.ts'
import { measureSizes } from './size.ts'

const { values } = parseArgs({ options: { json: { type: 'string' } } })
const sizes = await measureSizes()
const mounts = await measureMounts()
const rows = [...sizes.rows, ...mounts.rows]
const runs = [...sizes.runs, ...mounts.runs]

printRows(rows)
console.table(runs)
if (values.json) writeFileSync(values.json, `${JSON.stringify({ rows, runs }, null, 2)}\n`)
