/** The copy buttons of the documentation. @module */
import { copyText } from '../copy.ts'

for (const block of document.querySelectorAll('.code')) {
  const [button, code] = [block.querySelector('button'), block.querySelector('pre')]
  if (!button) continue
  button.hidden = false
  button.addEventListener('click', () => void copyText(button, code?.textContent.trim() ?? ''))
}
