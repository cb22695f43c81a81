/** A hosted page that speaks the frame protocol offline, with a form that accepts the test cards. @module */
import { PROTOCOL } from '@pi-checkout/contract/frame-protocol'
import { challengeCodes, testCards } from '@pi-checkout/contract/sandbox'
import { plans } from './plans.ts'

/** What the fake does, in order, after it has received id and secret. */
export type FakeStep =
  | 'ready'
  | 'busy'
  | 'idle'
  | 'leave'
  | 'finish'
  | 'cancel'
  | 'silence'
  /** Requests a height in CSS pixels. */
  | { readonly size: number }
  /** Fails with a code. */
  | { readonly fail: string }
  /** Waits, in milliseconds. */
  | { readonly wait: number }

/** How the fake behaves. */
export interface FakeHostedPageOptions {
  /**
   * What it does after the handshake.
   *
   * @default ['ready']
   */
  readonly steps?: readonly FakeStep[]
  /**
   * Milliseconds between the document and its `hello`.
   *
   * @default 0
   */
  readonly delay?: number
}

/** The fake as a document, and as a server for it. */
export interface FakeHostedPage {
  /** For `page.route('**\/checkout/*', (route) => route.fulfill({ contentType: 'text/html', body: html }))`. */
  readonly html: string
  /** Returns the page for `/checkout/<id>`, and 404 for other paths. */
  readonly fetch: (request: Request) => Promise<Response>
}

/**
 * Creates a hosted page that accepts any id and secret and runs the given steps, with buttons for others.
 *
 * Its form has the real form's labels and plays each outcome of `payWith` except `'redirect'`. Its buttons
 * have the test ids `ready busy idle leave finish cancel grow shrink reload silence
 * fail-origin_not_allowed fail-unauthorized fail-internal`. It shows that a secret arrived, but not the
 * secret. `leave` returns directly to the page's own address.
 *
 * @param options - Steps and delay.
 * @returns The page as text, and as a `fetch` handler for any server.
 * @see README.md, "Testing"
 * @example
 * const { html } = fakeHostedPage({ steps: ['ready', { wait: 500 }, 'finish'] })
 * await page.route('**\/checkout/*', (route) => route.fulfill({ contentType: 'text/html', body: html }))
 */
export function fakeHostedPage(options: FakeHostedPageOptions = {}): FakeHostedPage {
  const { steps = ['ready'], delay = 0 } = options
  // In a script element only `<` could end it.
  const settings = JSON.stringify({ steps, delay, version: PROTOCOL, cards }).replaceAll(
    '<',
    '\\u003c',
  )
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

/** For each card's last four digits: whether it has a challenge, and how the payment ends. */
const cards = Object.fromEntries(
  Object.values(plans).flatMap(({ card, bank, redirects, ends }) =>
    // A card with another code is in the plans again. A redirect is not played.
    card && (bank ?? challengeCodes.passes) === challengeCodes.passes
      ? [[testCards[card].slice(-4), { challenge: bank !== undefined && !redirects, ends }]]
      : [],
  ),
)

// The script is text, so that a compiler of this file does not change it.
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
      <p>Appearance: <output data-testid="appearance" aria-label="Appearance"></output></p>
      <form>
        <p><label>Card number <input name="number" inputmode="numeric" autocomplete="cc-number"></label></p>
        <p><label>Expiry date <input name="expiry" autocomplete="cc-exp"></label></p>
        <p><label>Security code <input name="code" autocomplete="cc-csc"></label></p>
        <p><label>Name on card <input name="name" autocomplete="cc-name"></label></p>
        <p role="alert"></p>
        <button>Pay 100.00 USD</button>
        <button type="button" data-testid="cancel">Cancel payment</button>
      </form>
      <hr>
    </main>
    <script>
      'use strict'
      const { steps, delay, version, cards } = {}
      const doc = crypto.randomUUID().replaceAll('-', '')
      const show = (id, text) => { document.querySelector('[data-testid=' + id + ']').value = text }
      const wait = (time) => new Promise((resolve) => setTimeout(resolve, time))
      let port, id, height = 400, silent = false, leaving = false
      const back = decodeURIComponent(location.hash.slice(1))
      if (top === window && /^https?:/.test(back)) location.replace(back)

      const actions = {
        ready: () => send({ t: 'ready' }),
        busy: () => send({ t: 'busy', on: true }),
        idle: () => send({ t: 'busy', on: false }),
        leave: () => { leaving = true; send({ t: 'leave' }) },
        finish: () => send({ t: 'finish' }),
        cancel: () => send({ t: 'cancel' }),
        grow: () => size(height + 400),
        shrink: () => size(Math.max(height - 400, 1)),
        reload: () => location.reload(),
        silence: () => { silent = true },
      }
      const failures = ['origin_not_allowed', 'unauthorized', 'internal'].map((code) => 'fail-' + code)
      for (const id of [...Object.keys(actions), ...failures]) {
        const button = document.createElement('button')
        button.textContent = id.replace(/[-_]/g, ' ')
        button.dataset.testid = id
        if (id !== 'cancel') document.querySelector('main').append(button)
      }
      const isText = (...values) => values.every((value) => typeof value === 'string')
      const handlers = {
        config: ({ locale, appearance }) => {
          if (!isText(locale)) return
          document.documentElement.lang = locale
          show('locale', locale)
          show('appearance', isText(appearance) ? appearance : '')
        },
        auth: (message) => {
          if (id || !isText(message.id, message.secret)) return
          id = message.id
          show('secret', 'yes')
          play()
        },
        left: ({ page }) => {
          if (!leaving || !isText(page)) return
          // Through this document, because a new fragment alone does not load a page again.
          top.location.href = location.href + '#' + encodeURIComponent(page)
        },
        ping: () => send({ t: 'pong' }),
      }

      function send(message) { if (!silent) port?.postMessage(message) }

      function size(h) {
        height = h
        document.querySelector('main').style.minHeight = h + 'px'
        send({ t: 'size', h })
      }

      const form = document.forms[0]
      form.onsubmit = async (event) => {
        event.preventDefault()
        const number = form.elements.number.value.replace(/\\D/g, '')
        form.querySelector('[role=alert]').textContent = ''
        form.inert = true
        actions.busy()
        const { challenge, ends } = cards[number.slice(-4)] ?? { ends: 'paid' }
        const passed = !challenge || await passesChallenge()
        form.inert = false
        if (passed && ends !== 'declined') return showResult(ends)
        form.querySelector('[role=alert]').textContent = 'Your card was declined.'
        actions.idle()
      }

      function showResult(state) {
        const result = document.createElement('h2')
        Object.assign(result.dataset, { testid: 'result', state })
        result.textContent = 'Payment ' + state
        form.replaceWith(result)
        actions.idle()
        actions.finish()
      }

      async function passesChallenge() {
        const frame = document.createElement('iframe')
        frame.title = 'Your bank'
        frame.srcdoc = '<!doctype html><html lang="en"><title>Your bank</title>'
          + '<main><h1>Your bank</h1><form><label>Code <input autocomplete="one-time-code"></label>'
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
          if (typeof step === 'string') actions[step]()
          else if ('size' in step) size(step.size)
          else if ('fail' in step) send({ t: 'fail', code: step.fail })
          else await wait(step.wait)
        }
      }

      addEventListener('message', ({ source, data, ports }) => {
        if (port || source !== parent || ports.length !== 1 || data?.pi !== 'checkout') return
        if (data.t !== 'init' || data.doc !== doc || data.v !== ${PROTOCOL}) return
        port = ports[0]
        port.onmessage = ({ data }) => {
          if (data && Object.hasOwn(handlers, data.t)) handlers[data.t](data)
        }
        send({ t: 'ack' })
      })
      document.addEventListener('click', ({ target }) => {
        const { testid } = target.dataset
        if (!testid) return
        if (testid.startsWith('fail-')) send({ t: 'fail', code: testid.slice(5) })
        else actions[testid]?.()
      })
      const hello = () => parent.postMessage({ pi: 'checkout', t: 'hello', v: [version], doc }, '*')
      if (delay) setTimeout(hello, delay)
      else hello()
    </script>
  </body>
</html>
`
