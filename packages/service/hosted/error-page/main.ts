/** The error page: no form and no data. It sends a parent its code. @module */
import { FrameLink } from '../checkout/frame-link.ts'

/** Empty in a page that is in no frame. */
const { code } = document.documentElement.dataset
if (code) new FrameLink(new Set(), () => {}, code).start()

// The service does not know which shop the buyer has come from.
const back = document.querySelector<HTMLAnchorElement>('a[hidden]')
if (back && window.parent === window && history.length > 1) {
  back.hidden = false
  back.addEventListener('click', (event) => {
    event.preventDefault()
    history.back()
  })
}
