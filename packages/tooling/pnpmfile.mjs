// For `pnpm pack` and `pnpm publish`: a published manifest has nothing that only this repository uses.
export const hooks = {
  beforePacking: ({ scripts: _scripts, wireit: _wireit, ...manifest }) => manifest,
}
