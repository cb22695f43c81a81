// Every README and guide of the repository as data: its code blocks, headings and links.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Every Markdown file that git knows or would add, read and taken apart. */
export function documents() {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], {
    cwd: root,
    encoding: 'utf8',
  })
  return listed.trim().split('\n').sort().filter(isDocument).map(readDocument)
}

// Changesets become the changelog; they hold no code of their own.
function isDocument(path) {
  return !path.startsWith('.changeset/')
}

/** @param path Relative to the root. */
export function readDocument(path) {
  const text = readFileSync(root + path, 'utf8')
  return { path, text, blocks: blocksOf(path, text), prose: proseOf(text) }
}

/** The anchors of a document's headings, as GitHub makes them. */
export function anchorsOf({ prose }) {
  const seen = new Map()
  const headings = [...prose.matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading]) => {
    const slug = heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-')
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  })
  const named = [...prose.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id]) => id)
  return new Set([...headings, ...named])
}

/** Every address that a document points to, in Markdown and in HTML. */
export function linksOf({ prose }) {
  const bare = prose.replace(/`[^`\n]*`/g, '')
  const inline = bare.matchAll(/\]\(<?([^()\s>]+(?:\([^()\s]*\)[^()\s]*)?)>?(?: "[^"]*")?\)/g)
  const html = bare.matchAll(/<\w[^>]*? (?:href|src|srcset)="([^"]+)"/g)
  const definitions = bare.matchAll(/^\[[^\]]+\]: (\S+)/gm)
  return [...inline, ...html, ...definitions].map(([, address]) => address)
}

function blocksOf(path, text) {
  const lines = text.split('\n')
  const blocks = []
  let open
  for (const [index, line] of lines.entries()) {
    const [, indent, fence, info] = /^( *)(```+|~~~+) *(.*)$/.exec(line) ?? []
    // A comment above, such as `<!-- headers -->`, says what a block without a language is.
    const [, mark] = /^<!-- (\w+) -->$/.exec(lines[index - 2] ?? '') ?? []
    if (!open && fence) {
      open = { indent, fence, info: info || (mark ?? ''), line: index + 2, code: [] }
    } else if (open && line.trim() === open.fence) {
      blocks.push(closed(path, open))
      open = undefined
    } else open?.code.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line)
  }
  if (open) throw new Error(`${path}:${open.line} opens a code block that nothing closes`)
  return blocks
}

function closed(path, { info, line, code }) {
  const [language = ''] = info.split(/\s/)
  // A first line such as `// shop.mjs` or `<!-- pay.html -->` names the file that the block is.
  const [, name] = /^(?:\/\/|#|<!--|\/\*) ([\w./-]+\.\w+)(?: -->| \*\/)?$/.exec(code[0] ?? '') ?? []
  return { path, line, language, name, code: `${code.join('\n')}\n` }
}

// Blocks become empty lines, so that positions stay.
function proseOf(text) {
  return text.replace(/^( *)(```+|~~~+)[\s\S]*?^ *\2 *$/gm, (block) => block.replace(/[^\n]+/g, ''))
}
