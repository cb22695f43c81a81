/** The error page: no form and no data. It sends a parent its code, and prints the fix in a test environment. @module */
import { FrameLink } from '../checkout/frame-link.ts'
import { helpFor, report } from '../checkout/help.ts'

const details: Readonly<Record<string, string>> = {
  origin_not_allowed: 'The page around this frame is not registered.',
  unauthorized: 'No Payment Intent has this id.',
}

/** Empty in a page that is in no frame. */
const { code = '' } = document.documentElement.dataset
const detail = details[code]

if (detail) {
  new FrameLink(new Set(), () => {}, code).start()
  // The element removes this page, and reports the fix instead.
  setTimeout(() => report('error', helpFor({ code, detail })), 1000)
}

// The service does not know which shop the buyer has come from.
const back = document.querySelector<HTMLAnchorElement>('a[hidden]')
if (back && window.parent === window && history.length > 1) {
  back.hidden = false
  back.addEventListener('click', (event) => {
    event.preventDefault()
    history.back()
  })
}
