// Every README and guide of the repository as data: its blocks of code, and code in its sentences.
import { fromMarkdown } from 'mdast-util-from-markdown'
import { repositoryFiles } from '../files.mjs'

/** Returns every Markdown file. */
export function documents() {
  return repositoryFiles('*.md').map(documentOf)
}

/** @param path - Relative to the root. */
export function readDocument(path) {
  return documentOf(...repositoryFiles(path))
}

function documentOf({ path, text }) {
  const nodes = withDescendants(fromMarkdown(text))
  const blocks = nodes.filter(({ type }) => type === 'code').map((node) => blockOf(path, node))
  const spans = nodes.filter(({ type }) => type === 'inlineCode').map(({ value }) => value)
  return { path, text, blocks, spans }
}

function withDescendants(node) {
  return [node, ...(node.children ?? []).flatMap(withDescendants)]
}

function blockOf(path, { lang: language, value, position }) {
  // A first line such as `// shop.mjs` or `<!-- pay.html -->` names the file that the block is.
  const [, name] =
    /^(?:\/\/|#|<!--|\/\*) ([\w./+[\]-]+\.\w+)(?: -->| \*\/)?$/.exec(value.split('\n', 1)) ?? []
  return { path, line: position.start.line + 1, language, name, code: `${value}\n` }
}
