/**
 * A hosted page that speaks the frame protocol offline, with a form that takes the test cards.
 *
 * @module
 */
import { PROTOCOL } from '@pi-checkout/contract/frame-protocol'
import { challengeCodes } from '@pi-checkout/contract/sandbox'
import { type Plan, plans } from './test-cards.ts'

/** What the fake does by itself, in order, once it has the pair. */
export type FakeStep =
  | 'ready'
  | 'busy'
  | 'idle'
  | 'leave'
  | 'finish'
  | 'cancel'
  | 'silence'
  /** Asks for a height in CSS pixels. */
  | { readonly size: number }
  /** Gives up with a code. */
  | { readonly fail: string }
  /** Waits, in milliseconds. */
  | { readonly wait: number }

/** How the fake behaves. */
export interface FakeHostedPageOptions {
  /** Default: `['ready']`. */
  readonly steps?: readonly FakeStep[]
  /** Milliseconds between the document and its `hello`. Default: 0. */
  readonly delay?: number
  /** Protocol versions that its `hello` names. Default: the current one. */
  readonly versions?: readonly number[]
}

/** The fake as a document, and as a server of it. */
export interface FakeHostedPage {
  /** For `page.route('**\/checkout/*', (route) => route.fulfill({ contentType: 'text/html', body: html }))`. */
  readonly html: string
  /** Answers `/checkout/<id>` with the page and everything else with 404. */
  readonly fetch: (request: Request) => Promise<Response>
}

/**
 * Returns a hosted page that takes any pair and plays the given steps, with buttons for the rest.
 *
 * Its form has the names of the real one and plays every outcome of `payWith` but `'redirect'`.
 * Its buttons have the test ids `ready busy idle leave finish cancel grow shrink reload silence
 * fail-origin_not_allowed fail-unauthorized fail-internal`. It shows *that* a secret came, never the
 * secret. `leave` comes straight back, to the page's own address.
 *
 * @see README.md, "Testing"
 */
export function fakeHostedPage(options: FakeHostedPageOptions = {}): FakeHostedPage {
  const { steps = ['ready'], delay = 0, versions = [PROTOCOL] } = options
  // Inside a script element only `<` could end it.
  const settings = JSON.stringify({ steps, delay, versions, cards }).replaceAll('<', '\\u003c')
  const html = documentText.replace('{}', () => settings)
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }
  return {
    html,
    fetch: async (request) =>
      /^\/checkout\/[\w-]+$/.test(new URL(request.url).pathname)
        ? new Response(html, { headers })
        : new Response(null, { status: 404 }),
  }
}

/** By its last four digits, what each card does: asks for the bank's code or not, and how it ends. */
const cards = Object.fromEntries(
  Object.values<Plan>(plans).flatMap(({ card, bank, redirects, ends }) =>
    // A card with another answer to the bank stands in the table again; a redirect is not played.
    card && (bank ?? challengeCodes.passes) === challengeCodes.passes
      ? [[card.slice(-4), { asks: bank !== undefined && !redirects, ends }]]
      : [],
  ),
)

const testIds = [
  'ready',
  'busy',
  'idle',
  'leave',
  'finish',
  'grow',
  'shrink',
  'reload',
  'silence',
  'fail-origin_not_allowed',
  'fail-unauthorized',
  'fail-internal',
]

const buttons = testIds
  .map((id) => `<button type="button" data-testid="${id}">${id.replace(/[-_]/g, ' ')}</button>`)
  .join('\n      ')

// A script as text: it runs in a browser, as it stands here, whatever compiled this file.
const documentText = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="color-scheme" content="light dark">
    <title>Fake hosted page</title>
  </head>
  <body>
    <main aria-label="Payment form">
      <h1>Fake hosted page</h1>
      <p>Secret received: <output data-testid="secret" aria-label="Secret received">no</output></p>
      <p>Locale: <output data-testid="locale" aria-label="Locale"></output></p>
      <form>
        <p><label>Card number <input name="number" inputmode="numeric"></label></p>
        <p><label>Expiry date <input name="expiry"></label></p>
        <p><label>Security code <input name="code"></label></p>
        <p><label>Name on card <input name="name"></label></p>
        <p role="alert"></p>
        <button>Pay 100.00 USD</button>
        <button type="button" data-testid="cancel">Cancel payment</button>
      </form>
      <hr>
      ${buttons}
    </main>
    <script>
      'use strict'
      const { steps, delay, versions, cards } = {}
      const doc = crypto.randomUUID().replaceAll('-', '')
      const show = (id, text) => { document.querySelector('[data-testid=' + id + ']').value = text }
      const wait = (time) => new Promise((resolve) => setTimeout(resolve, time))
      let port, id, height = 400, silent = false, leaving = false
      const back = decodeURIComponent(location.hash.slice(1))
      if (top === window && /^https?:/.test(back)) location.replace(back)

      const acts = {
        ready: () => say({ t: 'ready' }),
        busy: () => say({ t: 'busy', on: true }),
        idle: () => say({ t: 'busy', on: false }),
        leave: () => { leaving = true; say({ t: 'leave' }) },
        finish: () => say({ t: 'finish' }),
        cancel: () => say({ t: 'cancel' }),
        grow: () => size(height + 400),
        shrink: () => size(Math.max(height - 400, 1)),
        reload: () => location.reload(),
        silence: () => { silent = true },
      }
      const isText = (...values) => values.every((value) => typeof value === 'string')
      const heard = {
        config: ({ locale }) => {
          if (!isText(locale)) return
          document.documentElement.lang = locale
          show('locale', locale)
        },
        auth: (message) => {
          if (id || !isText(message.id, message.secret)) return
          id = message.id
          show('secret', 'yes')
          play()
        },
        left: ({ page }) => {
          if (!leaving || !isText(page)) return
          // By way of this document: to an address with a fragment no page moves from itself.
          top.location.href = location.href + '#' + encodeURIComponent(page)
        },
        ping: () => say({ t: 'pong' }),
      }

      function say(message) { if (!silent) port?.postMessage(message) }

      function size(h) {
        height = h
        document.querySelector('main').style.minHeight = h + 'px'
        say({ t: 'size', h })
      }

      const form = document.forms[0]
      form.onsubmit = async (event) => {
        event.preventDefault()
        const number = form.elements.number.value.replace(/\\D/g, '')
        form.querySelector('[role=alert]').textContent = ''
        form.inert = true
        acts.busy()
        const { asks, ends } = cards[number.slice(-4)] ?? { ends: 'paid' }
        const passed = !asks || await passesBank()
        form.inert = false
        if (passed && ends !== 'declined') return settle(ends)
        form.querySelector('[role=alert]').textContent = 'Your card was declined.'
        acts.idle()
      }

      function settle(state) {
        const result = document.createElement('h2')
        Object.assign(result.dataset, { testid: 'result', state })
        result.textContent = 'Payment ' + state
        form.replaceWith(result)
        acts.idle()
        acts.finish()
      }

      async function passesBank() {
        const frame = document.createElement('iframe')
        frame.title = 'Your bank'
        frame.srcdoc = '<!doctype html><html lang="en"><title>Your bank</title>'
          + '<main><h1>Your bank</h1><form><label>Code <input></label>'
          + '<button>Confirm</button><button type="button">Cancel</button></form></main>'
        form.after(frame)
        await new Promise((resolve) => { frame.onload = resolve })
        const bank = frame.contentDocument.forms[0]
        const code = await new Promise((resolve) => {
          bank.onsubmit = (event) => { event.preventDefault(); resolve(bank.elements[0].value) }
          bank.lastChild.onclick = () => resolve('')
        })
        frame.remove()
        return code === '${challengeCodes.passes}'
      }

      async function play() {
        for (const step of steps) {
          if (typeof step === 'string') acts[step]()
          else if ('size' in step) size(step.size)
          else if ('fail' in step) say({ t: 'fail', code: step.fail })
          else await wait(step.wait)
        }
      }

      addEventListener('message', ({ source, data, ports }) => {
        if (port || source !== parent || ports.length !== 1 || data?.pi !== 'checkout') return
        if (data.t !== 'init' || data.doc !== doc || data.v !== ${PROTOCOL}) return
        port = ports[0]
        port.onmessage = ({ data }) => {
          if (data && Object.hasOwn(heard, data.t)) heard[data.t](data)
        }
        say({ t: 'ack' })
      })
      document.addEventListener('click', ({ target }) => {
        const { testid } = target.dataset
        if (!testid) return
        if (testid.startsWith('fail-')) say({ t: 'fail', code: testid.slice(5) })
        else acts[testid]?.()
      })
      const hello = () => parent.postMessage({ pi: 'checkout', t: 'hello', v: versions, doc }, '*')
      if (delay) setTimeout(hello, delay)
      else hello()
    </script>
  </body>
</html>
`
