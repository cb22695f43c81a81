/** Plans of statements. @module */
import type { Database } from '../../src/db/database.ts'

interface Step {
  readonly 'Node Type': string
  readonly 'Parent Relationship'?: string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly 'Plan Rows': number
  readonly Plans?: readonly Step[]
}

/** Runs a statement that is not constant. */
export async function query<Row>(db: Database, text: string): Promise<Row[]> {
  return await db.query<Row>(Object.assign([text], { raw: [text] }))
}

/** Explains prepared statements as the store plans them for all values. */
export async function explainAll(
  db: Database,
  texts: readonly string[],
): Promise<ReadonlyMap<string, Plan>> {
  const plans = new Map<string, Plan>()
  for (const [at, text] of texts.entries()) {
    await query(db, `prepare examined_${at} as ${text}`)
    const values = [...new Set(text.match(/\$\d+/g))].map(() => 'null').join()
    const call = `examined_${at}${values && `(${values})`}`
    const [row] = await query<{ 'QUERY PLAN': readonly [{ readonly Plan: Step }] }>(
      db,
      `explain (format json) execute ${call}`,
    )
    await query(db, `deallocate examined_${at}`)
    if (row) plans.set(text, planOf(row['QUERY PLAN'][0].Plan))
  }
  return plans
}

type Plan = ReturnType<typeof planOf>

/** Returns what a statement reads, and how. `isLimited`: the scan ends when a limit is reached. */
function planOf(root: Step) {
  const scans: { table: string; isByIndex: boolean; isLimited: boolean; rows: number }[] = []
  /** Steps with their conditions, without estimates. */
  const shape: string[] = []
  /** Most tables that it joins. A subquery for each row is no join. */
  let joined = 0

  /** Returns the number of tables that the step joins. */
  function visit(step: Step, isLimited: boolean, depth: number): number {
    const { 'Node Type': type, 'Relation Name': table, 'Index Name': index } = step
    // They keep rows that were read before.
    const isCache = type === 'Memoize' || type === 'Materialize'
    if (!isCache) shape.push(' '.repeat(depth) + [type, table, index, step['Index Cond']].join(' '))
    if (table !== undefined && type.endsWith('Scan')) {
      scans.push({
        table,
        isByIndex: /^Index (?:Only )?Scan/.test(type),
        isLimited,
        rows: step['Plan Rows'],
      })
    }
    const streams = type === 'Limit' || (isLimited && streaming.has(type))
    let tables = table !== undefined && type.endsWith('Scan') ? 1 : 0
    for (const child of step.Plans ?? []) {
      const found = visit(child, streams, isCache ? depth : depth + 1)
      if (['Outer', 'Inner'].includes(child['Parent Relationship'] ?? '')) tables += found
    }
    joined = Math.max(joined, tables)
    return tables
  }

  visit(root, false, 0)
  return { joined, scans, shape }
}

/** Steps that read no more rows than they return. An incremental sort orders rows of one time only. */
const streaming: ReadonlySet<string> = new Set([
  'LockRows',
  'Incremental Sort',
  'Subquery Scan',
  'Result',
])
