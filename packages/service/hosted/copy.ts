/** Copies a text, and shows it at the button. @module */
export async function copyText(button: HTMLElement, text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
  button.dataset.copied = ''
  button.ariaLabel = 'Copied'
  setTimeout(() => {
    delete button.dataset.copied
    button.ariaLabel = null
  }, 1500)
}
