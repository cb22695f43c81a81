// Writes the manifest of <pi-checkout> for editors and documentation tools, from its doc comments.
import { mkdirSync, writeFileSync } from 'node:fs'

const outdir = 'dist'

export default {
  globs: ['src/checkout-element.ts'],
  litelement: true,
  outdir,
  // package.json contains its path already.
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
  // Aliases are for frameworks, and the secret is better set as a property. `type` is a parameter of `#dispatch`.
  const isPublic = ({ name }) => name !== 'intentid' && !name.startsWith('client')
  declaration.attributes = declaration.attributes.filter(isPublic)
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
