/** The buttons of the start page and the documentation, which are hidden without this script. @module */
import { copyText } from '../copy.ts'

for (const block of document.querySelectorAll('.code')) {
  const [button, code] = [block.querySelector('button'), block.querySelector('pre')]
  if (!button) continue
  button.hidden = false
  button.addEventListener('click', () => void copyText(button, code?.textContent.trim() ?? ''))
}
