/** The error page: it contains no form and no data, and sends any parent only its error code. @module */
import { failCodes, type Hello, PROTOCOL, readInit } from '@pi-checkout/contract/frame-protocol'
import { failure, randomDocumentId } from '../checkout/frame-link.ts'

const doc = randomDocumentId()
const code = failCodes.find((known) => known === document.documentElement.dataset.code)

window.addEventListener('message', ({ source, data, ports }) => {
  const [port] = ports
  if (source !== window.parent || readInit(data)?.doc !== doc || !port || !code) return
  port.postMessage(failure(code))
})

const hello: Hello = { pi: 'checkout', t: 'hello', v: [PROTOCOL], doc }
window.parent.postMessage(hello, '*')
