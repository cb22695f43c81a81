// For `pnpm pack` and `pnpm publish`: a published manifest has nothing that only this repository uses.
export const hooks = {
  beforePacking: ({ scripts: _scripts, wireit: _wireit, ...manifest }) => {
    const exports = Object.entries(manifest.exports).map(([path, entry]) => [path, built(entry)])
    const published = { ...manifest, exports: Object.fromEntries(exports) }
    // Only npm takes a dependency from another tarball of the same installation, a peer is taken by all.
    const ours = Object.entries(manifest.dependencies ?? {}).filter(([name]) => isOurs(name))
    if (ours.length === 0) return published
    const dependencies = Object.entries(manifest.dependencies).filter(([name]) => !isOurs(name))
    return {
      ...published,
      dependencies: Object.fromEntries(dependencies),
      peerDependencies: { ...manifest.peerDependencies, ...Object.fromEntries(ours) },
    }
  },
}

/** An entry without its source, types first. */
function built(entry) {
  if (typeof entry === 'string') return entry
  const { source: _source, types, ...conditions } = entry
  const targets = Object.entries(conditions).map(([condition, path]) => [
    condition,
    path.replace(/^\.\/src\/(.+)\.ts$/, './dist/$1.js'),
  ])
  return { types, ...Object.fromEntries(targets) }
}

function isOurs(name) {
  return name.startsWith('@pi-checkout/')
}
