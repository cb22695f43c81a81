/** The error page: no form and no data. It sends a parent its code, and prints the fix in a test environment. @module */
import { FrameLink } from '../checkout/frame-link.ts'
import { report } from '../checkout/report.ts'

/** Empty in a page that is in no frame. */
const { code } = document.documentElement.dataset
if (code) new FrameLink(new Set(), () => {}, code).start()
if (code === 'origin_not_allowed') {
  const { origin } = new URL(document.referrer || location.href)
  report(`${code}. Run: npx pi-service origins add ${origin}`)
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
