import type { CDPSession } from '@playwright/test'
import { expect, test } from 'vitest'
import { expectEvent, prepareTestSites } from './browser/test-sites.ts'

const sites = prepareTestSites()

async function holdings(devtools: CDPSession): Promise<Record<string, number>> {
  for (let i = 0; i < 3; i++) await devtools.send('HeapProfiler.collectGarbage')
  const { metrics } = await devtools.send('Performance.getMetrics')
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]))
}

test('sixty mounts and unmounts leave nothing behind', async () => {
  const page = await sites.openShop()
  await expectEvent(page, 'pi-ready')
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable')
  const mount = (times: number): Promise<void> =>
    page.evaluate(async (count) => {
      document.getElementById('pay')?.remove()
      for (let i = 0; i < count; i++) {
        const pay = document.createElement('pi-checkout')
        Object.assign(pay, { intentId: 'pi_1', clientSecret: 'pi_1_secret_x' })
        const ready = new Promise((resolve) => pay.addEventListener('pi-ready', resolve))
        document.body.append(pay)
        await ready
        pay.remove()
      }
      Reflect.get(window, 'piEvents').length = 0
    }, times)
  await mount(20)
  const before = await holdings(devtools)
  await mount(60)
  const after = await holdings(devtools)
  const grown = (name: string): number => (after[name] ?? 0) - (before[name] ?? 0)
  // Each bound but the heap's is below what one leak in each mount would leave.
  expect(grown('Frames')).toBe(0)
  expect(grown('Documents')).toBeLessThanOrEqual(1)
  expect(grown('Nodes')).toBeLessThan(50)
  expect(grown('JSEventListeners')).toBeLessThan(10)
  expect(grown('JSHeapUsedSize')).toBeLessThan(300_000)
}, 120_000)
