/**
 * The benchmark's report as a page of the docs and as the README's line. Pure: text in, text out.
 *
 * @module
 */

/** Stands at the top of the page: what is written by hand there is lost. */
export const mark =
  '<!-- Made by `npm run bench -- --docs`. Written by no hand: the next run replaces it. -->'

/** Stand around the README's line. */
export const badgeMarks = ['<!-- bench -->', '<!-- /bench -->']

/** What the README quotes of the table: ratios alone, for they hold on another machine too. */
const quoted = [
  ['create() per call, one at a time', 'bare fetch of the same JSON', '`create()` %× `fetch`'],
  ['import, fresh process', 'stripe', 'import %× Stripe’s'],
  [
    "element's self-contained file, Lit included, gzip",
    'Adyen Drop-in, bundled the same way',
    'element %× Adyen Drop-in',
  ],
  ['mount to pi-ready, Chromium', /^a bare iframe/, 'mount %× a bare iframe'],
]

/** Writes the page of a report. */
export function pageOf({ date, minutes, machine, versions, rooms }) {
  return `${[
    mark,
    '# Benchmarks',
    `Every figure is a ratio of one run: ours divided by a baseline that was measured beside it, in turns. The ratio is the median of the rounds and the spread their lower and upper quartile. Absolute figures say something of this machine alone; ratios hold on others too, more or less. \`npm run bench\` measures all of it again; it took ${minutes} minutes.`,
    table(
      ['', ''],
      [
        ['date', date.slice(0, 10)],
        ['command', '`npm run bench -- --docs`'],
        ['machine', machine],
        ...Object.entries(versions),
      ],
    ),
    ...Object.entries(rooms).flatMap(([room, { rows, runs }]) => [
      `## ${room}`,
      table(['what', 'against', 'ratio', 'spread', 'target', 'met', 'note'], rows.map(cells)),
      'Medians of the run:',
      runs.map(line).join('\n'),
    ]),
  ].join('\n\n')}\n`
}

/** Reads rows back from a page. */
export function rowsOf(page) {
  const cells = page
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '))
  return cells
    .filter(({ length }) => length === 7)
    .map(([what, against, ratio]) => ({ what, against, ratio: Number(ratio) }))
    .filter(({ ratio }) => !Number.isNaN(ratio))
}

/** Writes the README's line from the rows of a page. */
export function badgeOf(rows) {
  const parts = quoted.map(([what, against, words]) => {
    const row = rows.find(
      (it) =>
        it.what === what &&
        (typeof against === 'string' ? it.against === against : against.test(it.against)),
    )
    if (!row) throw new Error(`The table has no row "${what}" against ${against}.`)
    return words.replace('%', `${row.ratio} `)
  })
  return `${parts.join(' · ')} · [measured](packages/BENCHMARKS.md)`
}

/** Puts the line between its marks. */
export function withBadge(readme, badge) {
  const [begin, end] = badgeMarks
  const from = readme.indexOf(begin)
  const to = readme.indexOf(end)
  if (from === -1 || to < from) throw new Error(`README.md: the marks ${begin} ${end} are missing.`)
  return `${readme.slice(0, from + begin.length)}\n${badge}\n${readme.slice(to)}`
}

function cells({ what, against, ratio, low, high, target, met, note = '' }) {
  const spread = low === high ? '' : `${low}–${high}`
  const verdict = target === '' ? '' : met ? 'yes' : '**no**'
  return [what, against, ratio, spread, target, verdict, note]
}

function table(head, lines) {
  const all = [head, head.map(() => '---'), ...lines]
  return all.map((texts) => `| ${texts.join(' | ')} |`).join('\n')
}

function line({ what, ...figures }) {
  const texts = Object.entries(figures).map(([name, value]) => `${name} ${value}`)
  return `- ${what}: ${texts.join(', ')}`
}
