import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { CheckoutApi } from '../../hosted/checkout/checkout-client.ts'
import { ViewPoller } from '../../hosted/checkout/view-poller.ts'
import type { CheckoutView } from '../../shared/checkout-api.ts'

/** What the poller reads. */
function viewOf(version: number, status: CheckoutView['status']): CheckoutView {
  return { version, status } as CheckoutView
}

test('reads again if its response was on its way when a request had failed', async () => {
  const responses: ((view: CheckoutView) => void)[] = []
  const awaited: (number | undefined)[] = []
  const intent: CheckoutApi['intent'] = (version) => {
    awaited.push(version)
    return new Promise((resolve) => responses.push(resolve))
  }
  let shown = viewOf(1, 'requires_payment_method')
  const poller = new ViewPoller(
    { intent } as CheckoutApi,
    () => shown,
    (event) => {
      if (event.type === 'read') shown = event.view
    },
  )
  const running = poller.run()
  responses[0]?.(viewOf(1, 'requires_payment_method'))
  poller.readNow()
  await nextTurn()
  responses[1]?.(viewOf(2, 'succeeded'))
  await running
  expect(awaited).toEqual([2, undefined])
  expect(shown).toEqual(viewOf(2, 'succeeded'))
})
