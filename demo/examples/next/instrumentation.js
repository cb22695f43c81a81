/** Next.js calls it once, when the server starts, and for its Edge runtime. */
export async function register() {
  if (process.env.NEXT_RUNTIME === 'nodejs') await import('./check.js')
}
