/**
 * The error page: it contains no form and no data, and sends any parent only its error code. In a test environment it
 * names the fix.
 *
 * @module
 */
import { failCodes, type Hello, PROTOCOL, readInit } from '@pi-checkout/contract/frame-protocol'
import { failure, randomDocumentId } from '../checkout/frame-link.ts'

const doc = randomDocumentId()
const code = failCodes.find((known) => known === document.documentElement.dataset.code)

window.addEventListener('message', ({ source, data, ports }) => {
  const [port] = ports
  if (source !== window.parent || readInit(data)?.doc !== doc || !port || !code) return
  port.postMessage(failure(code))
})

const { origin } = new URL(document.referrer || location.href)
const fixes: Readonly<Record<(typeof failCodes)[number], string>> = {
  origin_not_allowed: `The page around this frame is not registered. Run: npx pi-service origins add ${origin}`,
  unauthorized: 'No Payment Intent has this id. Pass the id of the handoff unchanged.',
}

if (code && document.documentElement.dataset.mode === 'test') {
  const fix = document.createElement('p')
  fix.className = 'error'
  fix.textContent = `pi-checkout: ${code}. ${fixes[code]}`
  document.body.append(fix)
  // The element removes this page, and reports the fix instead.
  // biome-ignore lint/suspicious/noConsole: for the developer of the page around this one
  setTimeout(() => console.error(fix.textContent), 1000)
}

const hello: Hello = { pi: 'checkout', t: 'hello', v: [PROTOCOL], doc }
window.parent.postMessage(hello, '*')
