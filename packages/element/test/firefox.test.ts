import { firefoxPath } from '@pi-checkout/test-support/browsers'
import { describe, expect, test } from 'vitest'
import {
  eventsOf,
  expectEvent,
  expectState,
  leavingOnce,
  mountImmediately,
  prepareTestSites,
} from './browser/test-sites.ts'

const sites = prepareTestSites({ engine: 'firefox' })

// Playwright's clicks do not reach into cross-site frames of Firefox, so the pages act by themselves.
describe.skipIf(!firefoxPath())('in Firefox', () => {
  test('two values mount the hosted page', async () => {
    const page = await sites.openShop()
    await expectEvent(page, 'pi-ready')
    expect(await eventsOf(page)).toEqual([
      'pi-statechange loading',
      'pi-statechange ready',
      'pi-ready',
    ])
    expect(await page.content()).not.toContain('pi_1_secret_x')
  })

  test('follows the height of the frame and emits pi-finish once', async () => {
    const page = await sites.openShop({
      hosted: { steps: ['ready', { size: 900 }, 'finish', 'finish'] },
    })
    await expectEvent(page, 'pi-finish')
    const height = () =>
      page.locator('iframe').evaluate((frame) => frame.getBoundingClientRect().height)
    await expect.poll(height).toBe(900)
    expect((await eventsOf(page)).filter((line) => line === 'pi-finish')).toHaveLength(1)
  })

  test('the top page moves to the bank after an asynchronous result, and comes back', async () => {
    const page = await sites.openShop({ hosted: leavingOnce() })
    await expectEvent(page, 'pi-finish')
    expect(page.url()).toBe(`${sites.shop}/`)
    expect(await eventsOf(page)).not.toContain('pi-leave')
  })

  test("a frame blocked by the page's policy says blocked_by_csp", async () => {
    sites.expectedLines.push(/frame-src 'none'/)
    const page = await sites.openShop({
      headers: { 'content-security-policy': "frame-src 'none'" },
    })
    await expectEvent(page, 'pi-error blocked_by_csp')
    expect(sites.requests).toEqual([])
  })

  test('a refused connection says unreachable, and Try again heals it', async () => {
    // Firefox fires no `load` for a refused frame, so the wait for a hello has to end.
    const page = await sites.openShop({
      hosted: () => undefined,
      prepare: (opened) => opened.clock.install(),
    })
    await expectState(page, 'loading')
    await page.clock.runFor(13_500)
    await page.clock.runFor(13_500)
    await expectEvent(page, 'pi-error unreachable')
    sites.hosted({})
    await page.getByRole('button', { name: 'Try again' }).click()
    await expectEvent(page, 'pi-ready')
  })

  test('the hidden frame is out of the focus order, and append brings a new frame', async () => {
    const page = await sites.openShop({
      body: '<input id="mail" aria-label="Mail"><pi-checkout id="pay"></pi-checkout>',
      script: `mail.focus(); ${mountImmediately}`,
    })
    await expectState(page, 'ready')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('mail')
    await page.evaluate(() => document.body.append(document.getElementById('pay') ?? ''))
    await expectState(page, 'ready')
    expect(await page.locator('iframe').count()).toBe(1)
  })
})
