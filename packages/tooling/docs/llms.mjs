// Writes .github/llms.txt: what this project is, and where each document is.
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { root } from '../files.mjs'
import { documents } from './documents.mjs'

export const llmsPath = '.github/llms.txt'

/** @returns The file's text, made of the documents' own titles and first sentences. */
export function llmsText() {
  const all = documents()
  const [readme] = all.filter(({ path }) => path === 'README.md')
  const packageFolders = [
    'packages/server',
    'packages/element',
    'packages/service',
    'packages/contract',
    'demo',
  ]
  const sections = [
    [
      'Packages',
      all.filter(({ path }) => packageFolders.some((folder) => path === `${folder}/README.md`)),
    ],
    ['Guides', all.filter(({ path }) => path.includes('/guides/'))],
    [
      'More',
      all.filter(({ path }) =>
        /^\.github\/[A-Z]+\.md$|^demo\/examples\/|BENCHMARKS|^CHANGELOG/.test(path),
      ),
    ],
  ]
  const code = readme.blocks.filter(({ name }) => name)
  return [
    `# ${titleOf(readme)}\n`,
    `> ${firstParagraph(readme)}\n`,
    'Node 20.19 or newer. `npm start` runs service and demo shop, `npm test` the tests, `npm run test:soak` the long ones.\n',
    ...sections.flatMap(([heading, list]) => [
      `## ${heading}\n`,
      `${list.map(entry).join('\n')}\n`,
    ]),
    '## A whole shop\n',
    ...code.map(({ language, code: text }) => `\`\`\`${language}\n${text}\`\`\`\n`),
    '## Public names\n',
    ...['server', 'element', 'contract'].map(
      (folder) => `- @pi-checkout/${folder}: ${namesOf(folder)}`,
    ),
    '',
  ].join('\n')
}

function entry(document) {
  return `- [${titleOf(document)}](../${document.path}): ${firstParagraph(document).split(/(?<=\.) /)[0]}`
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
