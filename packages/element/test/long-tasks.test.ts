import { expect, test } from 'vitest'
import { prepareTestSites } from './browser/test-sites.ts'

const sites = prepareTestSites()

test('loading the element, mounting it and unmounting it take less than 50 ms of the page, all tasks together', async () => {
  const page = await sites.openShop({
    script: `
      window.mount = async () => {
        await import(PAY + '/pi-checkout.js')
        const pay = document.createElement('pi-checkout')
        Object.assign(pay, { intentId: 'pi_1', clientSecret: 'pi_1_secret_x' })
        const ready = new Promise((resolve) => pay.addEventListener('pi-ready', resolve))
        document.body.append(pay)
        await ready
        pay.remove()
      }`,
  })
  const devtools = await page.context().newCDPSession(page)
  // The processor time of this thread: a busy machine makes the page wait, not work.
  await devtools.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' })
  await devtools.send('Performance.enable')
  const spent = async (): Promise<number> => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    const parts = ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration']
    const seconds = metrics.filter(({ name }) => parts.includes(name)).map(({ value }) => value)
    return 1000 * seconds.reduce((sum, value) => sum + value)
  }
  const mounts: number[] = []
  for (let i = 0; i < 5; i++) {
    const before = await spent()
    await page.evaluate('mount()')
    mounts.push((await spent()) - before)
  }
  // So no task of ours is long. The first mount has loaded the file too.
  const median = mounts.sort((one, other) => one - other)[2]
  expect(median, `milliseconds: ${mounts.map(Math.round)}`).toBeLessThan(50)
})
