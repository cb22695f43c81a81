// Writes .github/llms.txt, which each package contains and the service serves: what a coding assistant has to know.
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { root } from '../files.mjs'
import { published } from '../pack.mjs'
import { documents } from './documents.mjs'

export const llmsPath = '.github/llms.txt'
const assistantsGuide = 'packages/server/guides/coding-assistants.md'

/** @returns The file's text: the guide for assistants, a whole shop, and the documents in each package. */
export function llmsText() {
  const all = documents()
  const readme = all.find(({ path }) => path === 'README.md')
  const guide = all.find(({ path }) => path === assistantsGuide)
  const rules = guide.prose.slice(guide.prose.indexOf('## '))
  const code = readme.blocks.filter(({ name }) => name)
  const packed = new RegExp(`^packages/(?:${published.join('|')})/(?:README|guides/.+)\\.md$`)
  return [
    `# ${titleOf(readme)}\n`,
    `> ${firstParagraph(readme)}\n`,
    'For Node 20.19 or newer.\n',
    rules,
    '## A whole shop\n',
    ...code.map(({ language, code: text }) => `\`\`\`${language}\n${text}\`\`\`\n`),
    '## Documents\n',
    `${all
      .filter(({ path }) => packed.test(path) && path !== assistantsGuide)
      .map(entry)
      .join('\n')}\n`,
    '## Public names\n',
    ...['server', 'element'].map((folder) => `- @pi-checkout/${folder}: ${namesOf(folder)}`),
    '',
  ].join('\n')
}

/** Where a shop that has installed the packages finds a document. */
function entry(document) {
  const path = document.path.replace(/^packages/, 'node_modules/@pi-checkout')
  return `- ${titleOf(document)}, \`${path}\`: ${firstParagraph(document).split(/(?<=\.) /)[0]}`
}

function titleOf({ prose }) {
  return /^# (.+)$/m.exec(prose)[1]
}

function firstParagraph({ prose }) {
  const paragraphs = prose.split(/\n{2,}/).map((text) => text.trim())
  const first = paragraphs.find((text) => text !== '' && !/^(?:[#|<]|- |```)/.test(text))
  return first.replaceAll('\n', ' ')
}

function namesOf(folder) {
  const index = readFileSync(`${root}packages/${folder}/src/index.ts`, 'utf8')
  const lists = index.matchAll(/^export \{([^}]+)\}/gm)
  const names = [...lists].flatMap(([, list]) => list.split(',').map((name) => name.trim()))
  return names
    .filter((name) => name && !name.startsWith('type '))
    .sort()
    .map((name) => `\`${name}\``)
    .join(', ')
}

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  writeFileSync(root + llmsPath, llmsText())
