/** Addresses of the built scripts, styles, and fonts. Their names contain a hash. @module */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folder of the built files, relative to the sources or to the build. */
export const builtPages = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../dist/pages/' : '../pages/', import.meta.url),
)

export interface Assets {
  /** Returns the address of a file of `pages`. */
  url(source: string): string
  /** Returns the addresses of the files that a script imports. */
  imports(source: string): readonly string[]
}

export function readAssets(): Assets {
  const text = readFileSync(join(builtPages, '.vite/manifest.json'), 'utf8')
  const manifest = JSON.parse(text) as Record<string, { file: string; imports?: string[] }>
  const entry = (source: string): { file: string; imports?: string[] } => {
    const found = manifest[source]
    if (!found) throw new Error(`${source}: not in the build. Run npm run build.`)
    return found
  }
  const url = (source: string): string => `/${entry(source).file}`
  return { url, imports: (source) => (entry(source).imports ?? []).map(url) }
}
