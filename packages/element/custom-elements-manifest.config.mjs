// `cem analyze` writes what editors and documentation tools know of <pi-checkout>, from its JSDoc.
import { mkdirSync, writeFileSync } from 'node:fs'

const outdir = process.env.MANIFEST_DIR ?? '.'

export default {
  globs: ['src/checkout-element.ts', 'src/define.ts'],
  litelement: true,
  outdir,
  // Its path stands in package.json already.
  packagejson: false,
  plugins: [
    {
      name: 'public-names',
      packageLinkPhase({ customElementsManifest: manifest }) {
        for (const module of manifest.modules) {
          module.path = published(module.path)
          for (const entry of module.exports) {
            entry.declaration.module = published(entry.declaration.module)
          }
          for (const declaration of module.declarations) keepPublic(declaration)
        }
        const [element] = manifest.modules.flatMap(({ declarations }) => declarations)
        mkdirSync(outdir, { recursive: true })
        writeFileSync(
          `${outdir}/vscode.html-custom-data.json`,
          `${JSON.stringify(vscodeData(element), null, 2)}\n`,
        )
      },
    },
  ],
}

function published(path) {
  return path.replace(/^\/?src\/(.*)\.ts$/, 'dist/$1.js')
}

function keepPublic(declaration) {
  const internal = new Set(['connectedMoveCallback', 'role'])
  declaration.members = declaration.members.filter(
    ({ name, privacy }) => privacy !== 'private' && !internal.has(name),
  )
  // The alias is for frameworks, and `type` is the parameter of our own dispatch.
  declaration.attributes = declaration.attributes.filter(({ name }) => name !== 'intentid')
  declaration.events = declaration.events.filter(({ name }) => name.startsWith('pi-'))
}

function vscodeData({ tagName, description, attributes, events, slots }) {
  const lines = (title, items) =>
    items.map(({ name, description: text }) => `- ${title} \`${name || '(default)'}\`: ${text}`)
  const value = [description, '', ...lines('event', events), ...lines('slot', slots)].join('\n')
  return {
    version: 1.1,
    tags: [
      {
        name: tagName,
        description: { kind: 'markdown', value },
        attributes: attributes.map(({ name, description: text }) => ({ name, description: text })),
      },
    ],
  }
}
