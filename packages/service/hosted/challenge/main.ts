/**
 * The stand-in issuer's page: the form works without this script, which keeps a second press from
 * spending a spent token, posts the code without a trace in the history, and wakes the hosted page
 * when the issuer is done.
 *
 * The result goes from the issuer to the service; the message carries none.
 *
 * @module
 */
import type { ScriptAnswer } from '../../src/checkout/challenge-app.ts'
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

if (document.querySelector('[data-done]')) wake()

async function answer(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  // The form's fields are text, so a plain list of names and values holds them all.
  const body = new URLSearchParams(new FormData(form, submitter) as unknown as URLSearchParams)
  try {
    // Not `form.action`: the buttons have that name.
    const response = await fetch(form.getAttribute('action') ?? '', {
      method: 'POST',
      headers: { accept: 'application/json' },
      body,
    })
    show(form, (await response.json()) as ScriptAnswer)
  } catch {
    // No answer: the service knows whether it counted, and the hosted page asks it.
    wake()
  } finally {
    delete form.dataset.sent
  }
}

function show(form: HTMLFormElement, result: ScriptAnswer): void {
  if ('done' in result) {
    const note = document.createElement('p')
    note.className = 'done'
    note.role = 'status'
    note.textContent = result.done
    document.querySelector('main')?.replaceChildren(note)
    wake()
    return
  }
  const [token, code] = ['token', 'code'].map((name) => form.elements.namedItem(name))
  const fault = form.querySelector('.fault')
  if (token instanceof HTMLInputElement) token.value = result.token
  if (fault) fault.textContent = result.fault
  if (!(code instanceof HTMLInputElement)) return
  code.value = ''
  code.focus()
}

function wake(): void {
  // Any parent may read that something is over: it is nothing that it could use.
  if (window.parent !== window) window.parent.postMessage({ pi: 'challenge', t: 'done' }, '*')
}
