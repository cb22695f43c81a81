/** Warns of a deprecated name before a later version removes it: see guides/upgrading.md. @module */

const warned = new Set<string>()

/**
 * Writes a warning once per process, on Node.js as a `DeprecationWarning` that `--no-deprecation` hides.
 *
 * @param code - A new number for each deprecation.
 * @param text - What is deprecated, and what to use instead.
 */
export function deprecate(code: `PI_DEP_${number}`, text: string): void {
  if (warned.has(code)) return
  warned.add(code)
  const { emitWarning } = globalThis.process ?? {}
  if (emitWarning) emitWarning(text, { type: 'DeprecationWarning', code })
  // biome-ignore lint/suspicious/noConsole: other runtimes have no channel for warnings.
  else console.warn(`[${code}] DeprecationWarning: ${text}`)
}
