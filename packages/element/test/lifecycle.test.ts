import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  configure,
  eventsOf,
  leaveOnce,
  mountDirectly,
  readyEvents,
  startSites,
  waitForEvent,
  waitForState,
} from './support/sites.ts'

const sites = startSites()

test('moveBefore keeps frame and state (threat 53)', async () => {
  const page = await sites.openShop()
  await waitForEvent(page, 'pi-ready')
  await page.evaluate(
    "document.querySelector('main').moveBefore(pay, document.querySelector('h1'))",
  )
  await page.frameLocator('iframe').getByTestId('busy').click()
  await waitForState(page, 'busy')
  expect(await eventsOf(page)).toEqual([...readyEvents, 'pi-statechange busy'])
})

test('mounts the same values again after append or a later insertion (threat 53)', async () => {
  const page = await sites.openShop()
  await waitForEvent(page, 'pi-ready')
  await page.evaluate("void document.querySelector('main').append(pay)")
  await expect
    .poll(() => eventsOf(page))
    .toEqual([...readyEvents, 'pi-statechange idle', ...readyEvents])
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

const librarySource = (path: string): string =>
  readFileSync(new URL(`../node_modules/${path}`, import.meta.url), 'utf8')
const libraries = {
  idiomorph: `${librarySource('idiomorph/dist/idiomorph.js')}; Idiomorph.morph(document.body, html)`,
  morphdom: `${librarySource('morphdom/dist/morphdom-umd.js')}; morphdom(document.body, '<body>' + html + '</body>')`,
}
const overAttribute = `pay.setAttribute('intent-id', 'pi_1'); ${mountDirectly}; pay.intentId = 'pi_1'`

test.each([
  ['idiomorph', 'by property', mountDirectly],
  ['idiomorph', 'by property over an attribute', overAttribute],
  ['morphdom', 'by property', mountDirectly],
  ['morphdom', 'by property over an attribute', overAttribute],
] as const)('when %s morphs the page, values set %s keep the frame', async (library, _, script) => {
  const page = await sites.openShop({
    // The HTML of the server: the page before its script ran. Turbo 8, htmx, and LiveView morph to it.
    script: `window.html = document.body.innerHTML; ${script}`,
    hosted: { steps: ['ready', 'busy'] },
  })
  await waitForEvent(page, 'pi-statechange busy')
  const number = page.frameLocator('iframe').getByLabel('Card number')
  await number.fill('4242')
  const before = await eventsOf(page)
  await page.evaluate(`${libraries[library]}; 0`)
  await page.waitForTimeout(100)
  expect(await number.inputValue()).toBe('4242')
  expect(await eventsOf(page)).toEqual(before)
  expect(sites.requests).toEqual(['/checkout/pi_1'])
})

test('dispatches pi-leave before the page moves: a handler removed in it does not prompt', async () => {
  let prompts = 0
  const path = '/pay?order=A%20B&sign=1%2B2~#/form?step=2'
  const page = await sites.openShop({
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
      const mount = () => Object.assign(pay, { intentId: 'pi_1', clientSecret: 'pi_1_secret_x' })
      if (isBack) mount()
      else document.querySelector('h1').onclick = mount`,
    hosted: leaveOnce(),
    prepare: (opened) => {
      opened.on('dialog', (dialog) => {
        prompts++
        void dialog.accept()
      })
    },
  })
  await page.getByRole('heading', { name: 'Shop' }).click()
  await waitForEvent(page, 'pi-finish')
  expect(page.url()).toBe(sites.shop + path)
  expect(prompts).toBe(0)
})
