import { expect, test } from 'vitest'
import { configure, eventsOf, leaveOnce, startSites, waitForEvent } from './support/sites.ts'

const sites = startSites()

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
