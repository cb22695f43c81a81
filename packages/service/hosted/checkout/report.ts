/** Tells the merchant's developers what they can correct. On the console of test environments only. @module */
export function report(text: string): void {
  // biome-ignore lint/suspicious/noConsole: for the developer of the merchant's page
  if (document.documentElement.dataset.mode === 'test') console.error(`pi-checkout: ${text}`)
}
