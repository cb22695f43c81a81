import { expect, test } from 'vitest'
import {
  eventsAfterTimers,
  eventsOf,
  expectEvent,
  installClock,
  leavingOnce,
  prepareTestSites,
} from './browser/test-sites.ts'

const sites = prepareTestSites({ ignoreDefaultArgs: ['--disable-back-forward-cache'] })

test('pi-leave comes before the page moves, and a guard removed in it does not prompt', async () => {
  let prompts = 0
  const hosted = leavingOnce()
  const page = await sites.openShop({
    path: '/pay?order=A%20B&sign=1%2B2~#/form?step=2',
    // The first visit is spent by the click that a guard needs before it may prompt.
    script: `
      import { configureCheckout } from '/shop.js'
      configureCheckout({ origin: PAY })
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
    hosted,
    prepare: async (opened) => {
      opened.on('dialog', (dialog) => {
        prompts++
        void dialog.accept()
      })
    },
  })
  await page.getByRole('heading', { name: 'Shop' }).click()
  await expectEvent(page, 'pi-finish')
  expect(page.url()).toBe(`${sites.shop}/pay?order=A%20B&sign=1%2B2~#/form?step=2`)
  expect(prompts).toBe(0)
})

test('after a full-page redirect the same pair shows the result and pi-finish comes', async () => {
  const page = await sites.openShop({ hosted: leavingOnce() })
  await expectEvent(page, 'pi-finish')
  expect(page.url()).toBe(`${sites.shop}/`)
  expect(await eventsOf(page)).not.toContain('pi-leave')
})

const kept = { 'cache-control': 'no-cache' }

test('after Back the restored page asks again, and a live frame stays', async () => {
  // The frame's own timer goes on where it stopped: Playwright cannot reach into a restored frame.
  const page = await sites.openShop({
    headers: kept,
    hosted: { steps: ['ready', { wait: 2000 }, 'finish'] },
  })
  await expectEvent(page, 'pi-ready')
  await page.evaluate(() => {
    addEventListener('pageshow', ({ persisted }) => Object.assign(window, { persisted }))
  })
  await page.goto(`${sites.shop}/elsewhere`, { waitUntil: 'domcontentloaded' })
  await page.goBack({ waitUntil: 'commit' })
  await expect.poll(() => page.evaluate(() => Reflect.get(window, 'persisted'))).toBe(true)
  await expectEvent(page, 'pi-finish')
  expect(sites.requests.filter((path) => path === '/checkout/pi_1')).toHaveLength(2)
})

test('after Back a dead frame is replaced (threat 54)', async () => {
  const page = await sites.openShop({
    headers: kept,
    hosted: { steps: ['ready', 'silence'] },
    prepare: installClock,
  })
  await expectEvent(page, 'pi-ready')
  await page.goto(`${sites.shop}/elsewhere`, { waitUntil: 'domcontentloaded' })
  sites.hosted({})
  await page.goBack({ waitUntil: 'commit' })
  const ready = ['pi-statechange loading', 'pi-statechange ready', 'pi-ready']
  await expect
    .poll(() => eventsAfterTimers(page), { timeout: 15_000 })
    .toEqual([...ready, ...ready])
})
