/**
 * The refusal page: it holds no form and no data, and says to any parent only why it is here.
 *
 * @module
 */
import { failCodes, type Hello, PROTOCOL, readInit } from '@pi-checkout/contract/frame-protocol'
import { failure, randomDocument } from '../checkout/parent-link.ts'

const doc = randomDocument()
const code = failCodes.find((known) => known === document.documentElement.dataset.code)

window.addEventListener('message', ({ source, data, ports }) => {
  const [port] = ports
  if (source !== window.parent || readInit(data)?.doc !== doc || !port || !code) return
  port.postMessage(failure(code))
})

const hello: Hello = { pi: 'checkout', t: 'hello', v: [PROTOCOL], doc }
window.parent.postMessage(hello, '*')
