/** The error page: no form and no data. It sends a parent its code, and shows the fix in a test environment. @module */
import { failCodes, type Hello, PROTOCOL, readInit } from '@pi-checkout/contract/frame-protocol'
import { failure, randomDocumentId } from '../checkout/frame-link.ts'
import { helpFor, isTestMode, report } from '../checkout/help.ts'

const doc = randomDocumentId()
const code = failCodes.find((known) => known === document.documentElement.dataset.code)

window.addEventListener('message', ({ source, data, ports }) => {
  const [port] = ports
  if (source !== window.parent || readInit(data)?.doc !== doc || !port || !code) return
  port.postMessage(failure(code))
})

const details: Readonly<Record<(typeof failCodes)[number], string>> = {
  origin_not_allowed: 'The page around this frame is not registered.',
  unauthorized: 'No Payment Intent has this id.',
}

if (code && isTestMode()) {
  const help = helpFor({ code, detail: details[code] })
  const line = document.createElement('p')
  line.className = 'help'
  line.textContent = `Test mode: ${help}`
  document.querySelector('main')?.append(line)
  // The element removes this page, and reports the fix instead.
  setTimeout(() => report('error', help), 1000)
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

const hello: Hello = { pi: 'checkout', t: 'hello', v: [PROTOCOL], doc }
window.parent.postMessage(hello, '*')
