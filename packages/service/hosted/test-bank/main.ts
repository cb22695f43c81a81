/** The test bank's page. Its form works without this script, which posts without adding to the history. @module */

start()

/** Starts what the page shows: the form, or a note. */
function start(): void {
  if (document.querySelector('[data-done]')) notify('done')
  if (document.querySelector('[data-over]')) notify('over')
  const form = document.querySelector('form')
  if (!form) return
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) return event.preventDefault()
    form.dataset.sent = 'yes'
    if (form.dataset.presentation !== 'frame') return
    event.preventDefault()
    submit(form, event.submitter)
  })
  // Browsers focus no field of a framed page by themselves, and the page around it focuses the frame.
  const focusCode = (): void => document.querySelector<HTMLElement>('#code')?.focus()
  if (document.hasFocus()) focusCode()
  else window.addEventListener('focus', focusCode, { once: true })
  // The frame keeps its height when a note replaces the form, because it closes then.
  const report = (): void => void (form.isConnected && notify('size', document.body.offsetHeight))
  new ResizeObserver(report).observe(form)
}

/** Shows the page that answers a code: the form again, or a note. */
function submit(form: HTMLFormElement, submitter: HTMLElement | null): void {
  // Not `fetch`: its text would need a trusted type to become a document.
  const request = new XMLHttpRequest()
  // Not `form.action`: the buttons have that name.
  request.open('POST', form.getAttribute('action') ?? '')
  request.responseType = 'document'
  request.timeout = 10_000
  request.onloadend = () => {
    const main = request.status === 200 && request.responseXML?.querySelector('main')
    if (main) {
      document.querySelector('main')?.replaceWith(main)
      return start()
    }
    // Without a response, only the service has the result. The hosted page reads it there.
    notify('done')
    const error = form.querySelector('.error')
    if (error) error.textContent = form.dataset.lost ?? ''
    delete form.dataset.sent
  }
  // All fields are text.
  request.send(new URLSearchParams(new FormData(form, submitter) as unknown as URLSearchParams))
}

/** @param t - `done`: the challenge may have a result; `over`: this page's token is no longer valid; `size`: its height. */
function notify(t: 'done' | 'over' | 'size', height?: number): void {
  // The message contains no data of the payment, so any parent may receive it.
  if (window.parent !== window) window.parent.postMessage({ pi: 'challenge', t, height }, '*')
}

export {}
