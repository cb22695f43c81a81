import { firefoxPath } from '@pi-checkout/test-support/browsers'
import { describe, expect, test } from 'vitest'
import {
  eventsOf,
  installClock,
  leaveOnce,
  mountDirectly,
  readyEvents,
  startSites,
  waitForEvent,
  waitForState,
} from './support/sites.ts'

const sites = startSites({ engine: 'firefox' })

// Playwright cannot click in cross-site frames of Firefox, so the pages act without a click.
describe.skipIf(!firefoxPath())('in Firefox', () => {
  test('grows with the page, and reports the end once', async () => {
    const page = await sites.openShop({
      hosted: { steps: ['ready', { size: 900 }, 'finish', 'finish'] },
    })
    await waitForEvent(page, 'pi-finish')
    const height = () =>
      page.locator('iframe').evaluate((frame) => frame.getBoundingClientRect().height)
    await expect.poll(height).toBe(900)
    expect((await eventsOf(page)).filter((event) => event === 'pi-finish')).toHaveLength(1)
  })

  test('lets the page go to the bank after an asynchronous result, and return', async () => {
    const page = await sites.openShop({ hosted: leaveOnce() })
    await waitForEvent(page, 'pi-finish')
    expect(page.url()).toBe(`${sites.shop}/`)
    expect(await eventsOf(page)).not.toContain('pi-leave')
  })

  test('reports blocked_by_csp for a frame that the policy blocks', async () => {
    sites.expectedMessages.push(/frame-src 'none'/)
    const page = await sites.openShop({
      headers: { 'content-security-policy': "frame-src 'none'" },
    })
    await waitForEvent(page, 'pi-error blocked_by_csp')
    expect(sites.requests).toEqual([])
  })

  test('reports a closed connection as unreachable; the retry button mounts again', async () => {
    // Firefox fires no `load` for such a frame, so the wait for a hello has to end.
    const page = await sites.openShop({ hosted: () => undefined, prepare: installClock })
    await waitForState(page, 'loading')
    await page.clock.runFor(13_500)
    await page.clock.runFor(13_500)
    await waitForEvent(page, 'pi-error unreachable')
    sites.serveCheckout({})
    await page.getByRole('button', { name: 'Try again' }).click()
    await waitForEvent(page, 'pi-ready')
  })

  test('leaves the focus alone while loading, and mounts a new frame after append', async () => {
    const page = await sites.openShop({
      body: '<input id="mail" aria-label="Mail"><pi-checkout id="pay"></pi-checkout>',
      script: `mail.focus(); ${mountDirectly}`,
    })
    await waitForState(page, 'ready')
    expect(await page.evaluate('document.activeElement.id')).toBe('mail')
    await page.evaluate('void document.body.append(pay)')
    await waitForState(page, 'ready')
    expect(await page.locator('iframe').count()).toBe(1)
  })

  test('moveBefore keeps the session, and the reloaded frame connects again', async () => {
    const page = await sites.openShop()
    await waitForEvent(page, 'pi-ready')
    await page.evaluate(
      "document.querySelector('main').moveBefore(pay, document.querySelector('h1'))",
    )
    await expect.poll(() => eventsOf(page)).toEqual([...readyEvents, ...readyEvents])
    expect(await page.locator('iframe').count()).toBe(1)
    expect(sites.requests).toEqual(['/checkout/pi_1', '/checkout/pi_1'])
  })
})
