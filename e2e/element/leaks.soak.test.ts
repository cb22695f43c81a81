import type { CDPSession } from '@playwright/test'
import { expect, test } from '../fixtures/element-sites.ts'

const script = `
  window.mount = async (count) => {
    await import(PAY + '/v1/pi-checkout.js')
    for (let i = 0; i < count; i++) {
      const pay = document.createElement('pi-checkout')
      pay.handoff = { id: 'pi_1', clientSecret: 'pi_1_secret_x' }
      const ready = new Promise((resolve) => pay.addEventListener('pi-ready', resolve))
      document.body.append(pay)
      await ready
      pay.remove()
    }
    eventLog.length = 0
  }`

async function measure(devtools: CDPSession): Promise<Record<string, number>> {
  const { metrics } = await devtools.send('Performance.getMetrics')
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]))
}

test('sixty mounts and unmounts leave no frame, listener, or node', async ({ page, sites }) => {
  test.setTimeout(120_000)
  await sites.openShop({ script, body: '' })
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable')
  await page.waitForFunction('window.mount')
  const mount = async (count: number): Promise<unknown> => await page.evaluate(`mount(${count})`)
  const collected = async (): Promise<Record<string, number>> => {
    for (let i = 0; i < 3; i++) await devtools.send('HeapProfiler.collectGarbage')
    return measure(devtools)
  }
  await mount(20)
  const before = await collected()
  await mount(60)
  const after = await collected()
  const grown = (name: string): number => (after[name] ?? 0) - (before[name] ?? 0)
  // Each limit except the heap's is below one leak in each mount.
  expect(grown('Frames')).toBe(0)
  expect(grown('Documents')).toBeLessThanOrEqual(1)
  expect(grown('Nodes')).toBeLessThan(50)
  expect(grown('JSEventListeners')).toBeLessThan(10)
  expect(grown('JSHeapUsedSize')).toBeLessThan(300_000)
})
