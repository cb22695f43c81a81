/** The copy buttons of the start page and the documentation, and the current section in its navigation. @module */
import { copyText } from '../copy.ts'

for (const block of document.querySelectorAll('.code')) {
  const [button, code] = [block.querySelector('button'), block.querySelector('pre')]
  if (!button) continue
  button.hidden = false
  button.addEventListener('click', () => void copyText(button, code?.textContent.trim() ?? ''))
}

const headings = [...document.querySelectorAll('h2')]

function markSection(): void {
  const current = headings.findLast((heading) => heading.getBoundingClientRect().top < 100)
  for (const link of document.querySelectorAll<HTMLAnchorElement>('nav [href^="#"]')) {
    const isCurrent = link.hash === `#${current?.id}`
    link.setAttribute('aria-current', String(isCurrent))
  }
}

addEventListener('scroll', markSection, { passive: true })
markSection()
