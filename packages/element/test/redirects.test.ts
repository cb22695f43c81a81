import { expect, test } from 'vitest'
import {
  configure,
  eventsAfterTick,
  eventsOf,
  installClock,
  leaveOnce,
  readyEvents,
  startSites,
  waitForEvent,
} from './support/sites.ts'

const sites = startSites({ ignoreDefaultArgs: ['--disable-back-forward-cache'] })

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

test('shows the result, and dispatches pi-finish, after a redirect of the whole page', async () => {
  const page = await sites.openShop({ hosted: leaveOnce() })
  await waitForEvent(page, 'pi-finish')
  expect(page.url()).toBe(`${sites.shop}/`)
  expect(await eventsOf(page)).not.toContain('pi-leave')
})

const cacheable = { 'cache-control': 'no-cache' }

test('keeps a running frame after Back', async () => {
  // The frame's own timer continues where it stopped: Playwright cannot reach into a restored frame.
  const page = await sites.openShop({
    headers: cacheable,
    hosted: { steps: ['ready', { wait: 2000 }, 'finish'] },
  })
  await waitForEvent(page, 'pi-ready')
  await page.evaluate(
    "void addEventListener('pageshow', (event) => { window.restored = event.persisted })",
  )
  await page.goto(`${sites.shop}/elsewhere`, { waitUntil: 'domcontentloaded' })
  await page.goBack({ waitUntil: 'commit' })
  await expect.poll(() => page.evaluate('window.restored')).toBe(true)
  await waitForEvent(page, 'pi-finish')
  expect(sites.requests.filter((path) => path === '/checkout/pi_1')).toHaveLength(2)
})

test('replaces an unresponsive frame after Back (threat 54)', async () => {
  const page = await sites.openShop({
    headers: cacheable,
    hosted: { steps: ['ready', 'silence'] },
    prepare: installClock,
  })
  await waitForEvent(page, 'pi-ready')
  await page.goto(`${sites.shop}/elsewhere`, { waitUntil: 'domcontentloaded' })
  sites.serveCheckout({})
  await page.goBack({ waitUntil: 'commit' })
  await expect
    .poll(() => eventsAfterTick(page), { timeout: 15_000 })
    .toEqual([...readyEvents, ...readyEvents])
})
