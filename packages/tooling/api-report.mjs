// Compares the public declarations of each published package with its `api-report.txt`, after a build.
// A changed report needs a changeset that names the package. `--update` writes the reports.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'vite'
import { lacksChangeset } from './changesets.mjs'
import { root } from './files.mjs'
import { published } from './pack.mjs'

const update = process.argv.includes('--update')
const problems = published.flatMap((name) => {
  const folder = `packages/${name}`
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const file = `${folder}/api-report.txt`
  const report = reportOf(join(root, folder), manifest)
  const stored = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : ''
  if (update) writeFileSync(join(root, file), report)
  else if (report !== stored)
    return [`${file} is out of date. Run: node packages/tooling/api-report.mjs --update`]
  return lacksChangeset({ folder: root, file, name: manifest.name })
    ? [`${file} changed without a changeset for ${manifest.name}. Run: npx @changesets/cli@2.31.1`]
    : []
})
for (const problem of problems) console.error(problem)
process.exit(problems.length === 0 ? 0 : 1)

/** Each declaration file that the exports of a package reach, without comments and shared chunks last. */
function reportOf(folder, { exports, bin = {} }) {
  const entries = Object.entries(exports).filter(([, target]) => target.types)
  const files = new Map(entries.map(([path, { types }]) => [join(folder, types), `# ${path}`]))
  for (const [file] of files) {
    for (const imported of relativeImports(file)) {
      if (!files.has(imported)) files.set(imported, `# ${imported.slice(folder.length + 1)}`)
    }
  }
  const names = [
    ...Object.keys(exports).filter((path) => !exports[path].types),
    ...Object.keys(bin).map((name) => `bin ${name}`),
  ]
  return [
    ...[...files].map(([file, title]) => `${title}\n${declarationsOf(file)}`),
    ...names.map((name) => `# ${name}\n`),
  ].join('\n')
}

function relativeImports(file) {
  const { program } = parseSync(file, readFileSync(file, 'utf8'))
  return program.body
    .flatMap(({ source }) => source?.value ?? [])
    .filter((path) => path.startsWith('.'))
    .map((path) => join(dirname(file), path.replace(/js$/, 'd.ts')))
}

/** The statements without comments, sorted, because their order has no meaning. */
function declarationsOf(file) {
  const text = readFileSync(file, 'utf8')
  const { program, comments } = parseSync(file, text)
  return program.body
    .map(({ start, end }) => {
      const inside = comments.filter((comment) => comment.start >= start && comment.end <= end)
      const ends = [...inside.map((comment) => comment.start), end]
      return [start, ...inside.map((comment) => comment.end)]
        .map((from, index) => text.slice(from, ends[index]))
        .join('')
        .replace(/^\s*\n/gm, '')
    })
    .sort()
    .map((statement) => `${statement}\n`)
    .join('')
}
