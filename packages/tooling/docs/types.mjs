// Writes the table of exported types in each package's README, from the first sentences of their doc comments.
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { repositoryFiles, root } from '../files.mjs'
import { published } from '../pack.mjs'

const [begin, end] = ['<!-- types -->', '<!-- /types -->']
const sources = repositoryFiles(
  'packages/contract/src',
  ...published.map((name) => `packages/${name}/src`),
)

/** @returns Path and text of each README with current tables. */
export function readmesWithTypes() {
  return published.map((name) => {
    const path = `packages/${name}/README.md`
    const [before, , after] = read(path).split(new RegExp(`(${begin}[^]*${end})`))
    return { path, text: `${before}${begin}\n\n${tableOf(name)}\n\n${end}${after}` }
  })
}

function tableOf(name) {
  const { exports } = JSON.parse(read(`packages/${name}/package.json`))
  const rows = Object.entries(exports).flatMap(([entry, { source }]) =>
    source ? typesOf(`packages/${name}/${source.slice(2)}`).map((type) => [type, entry]) : [],
  )
  const lines = rows.map(([type, entry]) => {
    const from = entry === '.' ? '' : `\`${entry}\``
    return `| \`${type}\` | ${from} | ${meaningOf(type, name)} |`
  })
  return ['| type | from | meaning |', '|---|---|---|', ...lines].join('\n')
}

/** Names of the types that a file exports, sorted. */
function typesOf(path) {
  const text = read(path)
  const lists = [...text.matchAll(/^export (type )?\{([^}]+)\}/gm)].flatMap(([, onlyTypes, list]) =>
    list
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name && (onlyTypes || name.startsWith('type ')))
      .map((name) => name.replace(/^type /, '')),
  )
  const declared = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name)
  return [...new Set([...lists, ...declared])].sort()
}

/** The first sentence of a type's comment: of the package itself, or of the contract. */
function meaningOf(type, name) {
  const pattern = new RegExp(
    String.raw`/\*\*((?:(?!\*/)[^])*)\*/\s*export (?:interface|type|class) ${type}\b`,
  )
  const [comment] = sources
    .toSorted(({ path: a }, { path: b }) => isOf(b, name) - isOf(a, name))
    .flatMap(({ text }) => pattern.exec(text)?.slice(1) ?? [])
  if (!comment) throw new Error(`${type}: has no comment`)
  const text = comment.replace(/^\s*\* ?/gm, '').trim()
  const [paragraph] = text.split(/\n\s*\n|\n@/)
  const [sentence] = paragraph.replaceAll(/\s+/g, ' ').split(/(?<=\.) /)
  return sentence.replace(/\{@link (\w+)\}/, '`$1()`').replace(/\.$/, '')
}

function isOf(path, name) {
  return Number(path.startsWith(`packages/${name}/`))
}

function read(path) {
  return readFileSync(root + path, 'utf8')
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const { path, text } of readmesWithTypes()) writeFileSync(root + path, text)
}
