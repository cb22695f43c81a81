// Every README and guide of the repository as data: its code blocks and its prose.
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
  // Blocks become empty lines, so that positions stay.
  const prose = text.replace(/^( *)(```+|~~~+)[\s\S]*?^ *\2 *$/gm, (block) =>
    block.replace(/[^\n]+/g, ''),
  )
  return { path, text, prose, blocks: blocksOf(path, text) }
}

function blocksOf(path, text) {
  const blocks = []
  let open
  for (const [index, line] of text.split('\n').entries()) {
    const [, indent, fence, language] = /^( *)(```+|~~~+) *(\S*).*$/.exec(line) ?? []
    if (!open && fence) {
      open = { indent, fence, language, line: index + 2, code: [] }
    } else if (open && line.trim() === open.fence) {
      blocks.push(closed(path, open))
      open = undefined
    } else open?.code.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line)
  }
  if (open) throw new Error(`${path}:${open.line}: the code block is not closed`)
  return blocks
}

function closed(path, { language, line, code }) {
  // A first line such as `// shop.mjs` or `<!-- pay.html -->` names the file that the block is.
  const [, name] =
    /^(?:\/\/|#|<!--|\/\*) ([\w./+[\]-]+\.\w+)(?: -->| \*\/)?$/.exec(code[0] ?? '') ?? []
  return { path, line, language, name, code: `${code.join('\n')}\n` }
}
