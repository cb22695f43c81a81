/** Every page: forms that load no page, the language, printing, and Back. Without it, all of them still work. @module */
import { focusHeading, followOrders, load, show } from './visit.ts'

const sending = new WeakSet<HTMLFormElement>()

addEventListener('submit', (event) => {
  const { target: form, submitter } = event
  if (!(form instanceof HTMLFormElement) || !form.hasAttribute('data-stay')) return
  event.preventDefault()
  void send(form, submitter)
})

addEventListener('change', ({ target }) => {
  if (target instanceof HTMLSelectElement) target.form?.requestSubmit()
})

addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('[data-print]')) print()
})

// The shop may have changed since.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})

void followOrders()

// A frame that begins earlier delays the page's load event until the service responds.
const preload = document.querySelector<HTMLIFrameElement>('iframe[data-src]')
if (preload) addEventListener('load', () => requestAnimationFrame(() => startPreload(preload)))

/** Sends a form, one at a time, and shows the page that follows. */
async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  if (sending.has(form)) return
  sending.add(form)
  try {
    const data = new FormData(form, submitter)
    const fields = [...data].map(([name, value]) => [name, String(value)])
    const page = await load(form.action, new URLSearchParams(fields))
    history.replaceState(null, '', page.path)
    show(page)
    // The pressed button was removed, perhaps with its line.
    if (submitter?.isConnected !== false) return
    if (form.isConnected) form.querySelector('button')?.focus()
    else focusHeading()
  } catch {
    document.querySelector('#unreachable')?.removeAttribute('hidden')
  } finally {
    sending.delete(form)
  }
}

/** Loads the scripts of the payment form into the browser's cache. */
function startPreload(frame: HTMLIFrameElement): void {
  frame.src = frame.dataset.src ?? ''
}
