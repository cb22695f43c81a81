/** Next calls it once, when the server starts. */
export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { POST } = await import('./app/checkout/[action]/route.js')
  await POST.check() // A missing variable, a wrong key or no service: now, not at the first buyer.
}
