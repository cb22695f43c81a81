import { firefoxPath } from '@pi-checkout/test-support/browsers'
import { describe, expect, test } from 'vitest'
import { hears, leavingOnce, mountAtOnce, prepareWorld, stands, told } from './browser/world.ts'

const world = prepareWorld({ engine: 'firefox' })

// Playwright's clicks do not reach into cross-site frames of Firefox, so the pages act by themselves.
describe.skipIf(!firefoxPath())('in Firefox', () => {
  test('two values mount the hosted page', async () => {
    const page = await world.visit()
    await hears(page, 'pi-ready')
    expect(await told(page)).toEqual(['pi-statechange loading', 'pi-statechange ready', 'pi-ready'])
    expect(await page.content()).not.toContain('pi_1_secret_x')
  })

  test('a frame that grows is followed, and a finished form is told once', async () => {
    const page = await world.visit({
      hosted: { steps: ['ready', { size: 900 }, 'finish', 'finish'] },
    })
    await hears(page, 'pi-finish')
    const height = () =>
      page.locator('iframe').evaluate((frame) => frame.getBoundingClientRect().height)
    await expect.poll(height).toBe(900)
    expect((await told(page)).filter((line) => line === 'pi-finish')).toHaveLength(1)
  })

  test('the top page moves to the bank after an asynchronous result, and comes back', async () => {
    const page = await world.visit({ hosted: leavingOnce() })
    await hears(page, 'pi-finish')
    expect(page.url()).toBe(`${world.shop}/`)
    expect(await told(page)).not.toContain('pi-leave')
  })

  test("a frame blocked by the page's policy says blocked_by_csp", async () => {
    world.expected.push(/frame-src 'none'/)
    const page = await world.visit({ headers: { 'content-security-policy': "frame-src 'none'" } })
    await hears(page, 'pi-error blocked_by_csp')
    expect(world.asked).toEqual([])
  })

  test('a refused connection says unreachable, and Try again heals it', async () => {
    // Firefox fires no `load` for a refused frame, so the wait for a hello has to end.
    const page = await world.visit({
      hosted: () => undefined,
      prepare: (opened) => opened.clock.install(),
    })
    await stands(page, 'loading')
    await page.clock.runFor(13_500)
    await page.clock.runFor(13_500)
    await hears(page, 'pi-error unreachable')
    world.hosted({})
    await page.getByRole('button', { name: 'Try again' }).click()
    await hears(page, 'pi-ready')
  })

  test('the hidden frame is out of the focus order, and append brings a new frame', async () => {
    const page = await world.visit({
      body: '<input id="mail" aria-label="Mail"><pi-checkout id="pay"></pi-checkout>',
      script: `mail.focus(); ${mountAtOnce}`,
    })
    await stands(page, 'ready')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('mail')
    await page.evaluate(() => document.body.append(document.getElementById('pay') ?? ''))
    await stands(page, 'ready')
    expect(await page.locator('iframe').count()).toBe(1)
  })
})
