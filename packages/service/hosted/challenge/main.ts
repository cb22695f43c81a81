/**
 * The stand-in issuer's page: the form works without this script, which keeps a second press from
 * spending a spent token, posts the code without a trace in the history, and wakes the hosted page
 * when the issuer is done.
 *
 * The result goes from the issuer to the service; the message carries none.
 *
 * @module
 */
import type { ChallengeResult } from '../../shared/checkout-api.ts'
import { readableMoney } from '../money-text.ts'

const amount = document.querySelector('[data-amount]')
if (amount) amount.textContent = readableMoney(amount.textContent)

const form = document.querySelector('form')
form?.addEventListener('submit', (event) => {
  if (form.dataset.sent) return event.preventDefault()
  form.dataset.sent = 'yes'
  if (form.dataset.presentation !== 'frame') return
  event.preventDefault()
  void answer(form, event.submitter)
})

if (document.querySelector('[data-done]')) wake('done')
if (document.querySelector('[data-over]')) wake('over')

async function answer(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  // The form's fields are text, so a plain list of names and values holds them all.
  const body = new URLSearchParams(new FormData(form, submitter) as unknown as URLSearchParams)
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(), longestWait)
  try {
    // Not `form.action`: the buttons have that name.
    const response = await fetch(form.getAttribute('action') ?? '', {
      method: 'POST',
      headers: { accept: 'application/json' },
      body,
      signal: end.signal,
    })
    show(form, (await response.json()) as ChallengeResult)
  } catch {
    // No answer: the service knows whether it counted, and the hosted page asks it.
    wake('done')
    const fault = form.querySelector('.fault')
    if (fault) fault.textContent = form.dataset.lost ?? ''
  } finally {
    clearTimeout(timer)
    delete form.dataset.sent
  }
}

function show(form: HTMLFormElement, result: ChallengeResult): void {
  if (!('token' in result)) {
    const isDone = 'done' in result
    const note = document.createElement('p')
    note.className = 'done'
    note.role = 'status'
    note.textContent = isDone ? result.done : result.over
    document.querySelector('main')?.replaceChildren(note)
    wake(isDone ? 'done' : 'over')
    return
  }
  const [token, code] = ['token', 'code'].map((name) => form.elements.namedItem(name))
  const fault = form.querySelector('.fault')
  if (token instanceof HTMLInputElement) token.value = result.token
  if (fault) fault.textContent = result.error
  if (!(code instanceof HTMLInputElement)) return
  code.value = ''
  code.focus()
}

/** Milliseconds until a code without a response counts as lost. */
const longestWait = 10_000

/** @param t `done`: something happened; `over`: this page can do nothing more, and another may. */
function wake(t: 'done' | 'over'): void {
  // Any parent may read that something is over: it is nothing that it could use.
  if (window.parent !== window) window.parent.postMessage({ pi: 'challenge', t }, '*')
}
