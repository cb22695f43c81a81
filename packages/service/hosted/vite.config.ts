import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { marked } from 'marked'
import { defaultClientConditions, defineConfig, type Plugin } from 'vite'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * Puts the style sheet of the hosted page into the page, so that it is painted without another request. Names its
 * scripts, which are then loaded at the same time, instead of one after another.
 */
const hostedPage: Plugin = {
  name: 'hosted-page',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle = {}, path }) => {
      if (path !== '/checkout.html') return html
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      const scripts = chunks.filter(({ name }) => name === 'checkout' || name === 'form')
      const files = new Set(scripts.flatMap(({ fileName, imports }) => [fileName, ...imports]))
      const links = [...files].map((file) => `<link rel="modulepreload" href="/${file}">`).join('')
      return html.replace(/<link rel="stylesheet"[^>]*href="\/([^"]+)">/, (_, name: string) => {
        const sheet = bundle[name]
        if (sheet?.type !== 'asset') throw new Error(`${name} is not a style sheet`)
        delete bundle[name]
        return `${links}<style>${String(sheet.source).trim()}</style>`
      })
    },
  },
}

/** The inspector, and the guide to the API, in the frame of the pages for developers. */
const toolPages: Plugin = {
  name: 'tool-pages',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      const files = Object.values(bundle)
      const frame = files.find(({ fileName }) => fileName === 'tool.html')
      const script = files.find(({ name }) => name === 'inspector')
      if (frame?.type !== 'asset' || !script) throw new Error('There is no tool.html or no script')
      const pages = [
        ['inspector.html', 'Inspector', '/_sandbox/', inspector(script.fileName)],
        ['docs.html', 'API', '/docs', `<main class="apart stack guide">${guide()}</main>`],
      ] as const
      for (const [fileName, title, path, content] of pages) {
        const source = String(frame.source)
          .replace('<title>', `$&${title} · `)
          .replace(`href="${path}"`, '$& aria-current="page"')
          .replace('<!--content-->', () => content)
        this.emitFile({ type: 'asset', fileName, source })
      }
    },
  },
}

function inspector(file: string): string {
  return `<pi-inspector></pi-inspector><script type="module" src="/${file}"></script>
    <noscript><p class="empty">The inspector needs JavaScript.</p></noscript>`
}

function guide(): string {
  const html = String(marked.parse(readFileSync(here('../guides/api.md'), 'utf8')))
  const titles = [...html.matchAll(/<h2>(.*)<\/h2>/g)].map(([, title = '']) => title)
  const links = titles.map((title) => `<a href="#${idOf(title)}">${title}</a>`).join('')
  return (
    html
      .replace('</h1>', `$&<nav class="contents row" aria-label="On this page">${links}</nav>`)
      .replace(/<h2>(.*)<\/h2>/g, (_, title: string) => `<h2 id="${idOf(title)}">${title}</h2>`)
      // The type of a problem leads to the row of its code.
      .replace(/<tr>\n<td><code>([a-z_]+)<\/code>/g, '<tr id="$1">\n<td><code>$1</code>')
      // A long key breaks between its parts.
      .replaceAll('_&lt;', '_<wbr>&lt;')
      // What scrolls can be reached with the keyboard.
      .replaceAll('<pre>', '<pre tabindex="0">')
  )
}

function idOf(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-')
}

export default defineConfig({
  root: here('.'),
  base: '/',
  plugins: [hostedPage, toolPages],
  resolve: { conditions: ['source', ...defaultClientConditions] },
  build: {
    outDir: here('../dist/hosted'),
    emptyOutDir: true,
    assetsDir: 'checkout-assets',
    target: 'es2022',
    // `hostedPage` writes the links. The other pages have few scripts.
    modulePreload: false,
    // The pages' policy has no data: in any directive.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: {
        checkout: here('checkout.html'),
        error: here('error.html'),
        testBank: here('test-bank.html'),
        inspector: here('inspector/main.ts'),
        tool: here('tool.html'),
      },
    },
  },
})
