import {
  actInFrame,
  configure,
  eventsOf,
  expect,
  readyEvents,
  test,
  waitForEvent,
  waitForState,
} from '../fixtures/element-sites.ts'
import { scriptedPage } from '../fixtures/scripted-page.ts'

test('an element that is moved, or removed and inserted later, mounts again', {
  tag: '@firefox',
}, async ({ page, sites }) => {
  await sites.openShop()
  await waitForEvent(page, 'pi-ready')
  await actInFrame(page, 'busy')
  await waitForState(page, 'busy')
  await page.evaluate("void document.querySelector('main').append(pay)")
  const moved = ['pi-statechange busy', 'pi-statechange idle']
  await expect.poll(() => eventsOf(page)).toEqual([...readyEvents, ...moved, ...readyEvents])
  await expect(page.locator('iframe')).toHaveCount(1)
  const removed = await page.evaluate(async () => {
    const pay = document.getElementById('pay') as HTMLElementTagNameMap['pi-checkout']
    pay.remove()
    const result = [pay.state, pay.shadowRoot?.querySelectorAll('iframe').length]
    await new Promise((resolve) => setTimeout(resolve, 100))
    document.querySelector('main')?.append(pay)
    return result
  })
  expect(removed).toEqual(['idle', 0])
  await waitForState(page, 'ready')
  expect(new Set(sites.requests)).toEqual(new Set(['/checkout/pi_1']))
})

test('dispatches pi-leave before the page moves: a handler removed in it does not prompt', {
  tag: '@firefox',
}, async ({ page, sites }) => {
  let loads = 0
  let prompts = 0
  page.on('dialog', (dialog) => {
    prompts++
    void dialog.accept()
  })
  const path = '/pay?order=A%20B&sign=1%2B2~#/form?step=2'
  await sites.openShop({
    path,
    // A `beforeunload` handler prompts only after a click.
    script: `${configure}
      const guard = (event) => event.preventDefault()
      const isBack = sessionStorage.getItem('left')
      if (!isBack) {
        addEventListener('beforeunload', guard)
        pay.addEventListener('pi-leave', () => {
          sessionStorage.setItem('left', 'yes')
          removeEventListener('beforeunload', guard)
        })
      }
      const mount = () => { pay.handoff = { id: 'pi_1', clientSecret: 'pi_1_secret_x' } }
      if (isBack) mount()
      else document.querySelector('h1').onclick = mount`,
    // It leaves for the bank at first, and shows the result afterwards.
    hosted: () => ({ body: scriptedPage(['ready', loads++ ? 'finish' : 'leave']) }),
  })
  // Its click handler is there after the script.
  await waitForState(page, 'idle')
  await page.getByRole('heading', { name: 'Shop' }).click()
  await expect(page.locator('#pay:state(finished)')).toHaveCount(1)
  expect(page.url()).toBe(sites.shop.origin + path)
  expect(prompts).toBe(0)
})
