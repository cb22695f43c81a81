// Vitest makes Node pick Lit's development build, which would say so in every run.
Object.assign(globalThis, { litIssuedWarnings: new Set(['dev-mode']) })
