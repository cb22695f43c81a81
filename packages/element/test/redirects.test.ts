import { expect, test } from 'vitest'
import { hastened, hears, leavingOnce, ownClock, prepareWorld, told } from './browser/world.ts'

const world = prepareWorld({ ignoreDefaultArgs: ['--disable-back-forward-cache'] })

test('pi-leave comes before the page moves, and a guard removed in it does not prompt', async () => {
  let prompts = 0
  const hosted = leavingOnce()
  const page = await world.visit({
    path: '/pay?order=A-1#form',
    // The first visit is spent by the click that a guard needs before it may prompt.
    script: `
      import { configureCheckout } from '/shop.js'
      configureCheckout({ origin: PAY })
      const guard = (event) => event.preventDefault()
      if (!location.search.includes('payment_intent')) {
        addEventListener('beforeunload', guard)
        pay.addEventListener('pi-leave', () => removeEventListener('beforeunload', guard))
      }
      const mount = () => Object.assign(pay, { intentId: 'pi_1', clientSecret: 'pi_1_secret_x' })
      if (location.search.includes('payment_intent')) mount()
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
  await page.waitForURL(`${world.shop}/pay?order=A-1&payment_intent=pi_1`)
  expect(prompts).toBe(0)
  await hears(page, 'pi-finish')
})

test('after a full-page redirect the same pair shows the result and pi-finish comes', async () => {
  const page = await world.visit({ hosted: leavingOnce() })
  await page.waitForURL(`${world.shop}/?payment_intent=pi_1`)
  await hears(page, 'pi-finish')
  expect(await told(page)).not.toContain('pi-leave')
})

const kept = { 'cache-control': 'no-cache' }

test('after Back the restored page asks again, and a live frame stays', async () => {
  // The frame's own timer goes on where it stopped: Playwright cannot reach into a restored frame.
  const page = await world.visit({
    headers: kept,
    hosted: { steps: ['ready', { wait: 2000 }, 'finish'] },
  })
  await hears(page, 'pi-ready')
  await page.evaluate(() => {
    addEventListener('pageshow', ({ persisted }) => Object.assign(window, { persisted }))
  })
  await page.goto(`${world.shop}/elsewhere`, { waitUntil: 'domcontentloaded' })
  await page.goBack({ waitUntil: 'commit' })
  await expect.poll(() => page.evaluate(() => Reflect.get(window, 'persisted'))).toBe(true)
  await hears(page, 'pi-finish')
  expect(world.asked.filter((path) => path === '/checkout/pi_1')).toHaveLength(2)
})

test('after Back a dead frame is replaced', async () => {
  const page = await world.visit({
    headers: kept,
    hosted: { steps: ['ready', 'silence'] },
    prepare: ownClock,
  })
  await hears(page, 'pi-ready')
  await page.goto(`${world.shop}/elsewhere`, { waitUntil: 'domcontentloaded' })
  world.hosted({})
  await page.goBack({ waitUntil: 'commit' })
  const ready = ['pi-statechange loading', 'pi-statechange ready', 'pi-ready']
  await expect.poll(() => hastened(page), { timeout: 15_000 }).toEqual([...ready, ...ready])
})
