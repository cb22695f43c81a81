/** The test bank's page. Its form works without this script, which posts without adding to the history. @module */
import type { ChallengeResult } from '../../shared/checkout-api.ts'

const form = document.querySelector('form')
form?.addEventListener('submit', (event) => {
  if (form.dataset.sent) return event.preventDefault()
  form.dataset.sent = 'yes'
  if (form.dataset.presentation !== 'frame') return
  event.preventDefault()
  void submit(form, event.submitter)
})

if (document.querySelector('[data-done]')) notify('done')
if (document.querySelector('[data-over]')) notify('over')

async function submit(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  // All fields are text.
  const body = new URLSearchParams(new FormData(form, submitter) as unknown as URLSearchParams)
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), requestTimeout)
  try {
    // Not `form.action`: the buttons have that name.
    const response = await fetch(form.getAttribute('action') ?? '', {
      method: 'POST',
      headers: { accept: 'application/json' },
      body,
      signal: timeout.signal,
    })
    show(form, (await response.json()) as ChallengeResult)
  } catch {
    // Without a response, only the service has the result. The hosted page reads it there.
    notify('done')
    const error = form.querySelector('.error')
    if (error) error.textContent = form.dataset.lost ?? ''
  } finally {
    clearTimeout(timer)
    delete form.dataset.sent
  }
}

function show(form: HTMLFormElement, result: ChallengeResult): void {
  if (result.next !== 'ask') {
    const note = document.createElement('p')
    note.className = 'empty'
    note.role = 'status'
    note.textContent = result.text
    document.querySelector('main')?.replaceChildren(note)
    notify(result.next)
    return
  }
  const [token, code] = ['token', 'code'].map((name) => form.elements.namedItem(name))
  const error = form.querySelector('.error')
  if (token instanceof HTMLInputElement) token.value = result.token
  if (error) error.textContent = result.text
  if (!(code instanceof HTMLInputElement)) return
  code.value = ''
  code.ariaInvalid = 'true'
  code.focus()
}

const requestTimeout = 10_000

if (form) {
  // Browsers focus no field of a framed page by themselves, and the page around it focuses the frame.
  const focusCode = (): void => form.querySelector<HTMLElement>('#code')?.focus()
  if (document.hasFocus()) focusCode()
  else window.addEventListener('focus', focusCode, { once: true })
  // The frame keeps its height when a note replaces the form, because it closes then.
  const report = (): void => void (form.isConnected && notify('size', document.body.offsetHeight))
  new ResizeObserver(report).observe(form)
}

/** @param t - `done`: the challenge may have a result; `over`: this page's token is no longer valid; `size`: its height. */
function notify(t: 'done' | 'over' | 'size', height?: number): void {
  // The message contains no data of the payment, so any parent may receive it.
  if (window.parent !== window) window.parent.postMessage({ pi: 'challenge', t, height }, '*')
}
