import {
  clickInFrame,
  expect,
  observeShifts,
  shiftOf,
  test,
  waitForState,
} from '../fixtures/element-sites.ts'

test('shows the places of the form until it is usable, in the color of the page', async ({
  page,
  sites,
}) => {
  await observeShifts(page)
  await sites.openShop({
    body: '<pi-checkout id="pay" style="color: rgb(42, 32, 25)"></pi-checkout>',
    hosted: { steps: [] },
  })
  await waitForState(page, 'loading')
  const bones = page.locator('#pay i')
  const places = await bones.evaluateAll((all) =>
    all.map((bone) => {
      const { width, height } = bone.getBoundingClientRect()
      return [Math.round(width), Math.round(height), getComputedStyle(bone).backgroundColor]
    }),
  )
  const color = 'rgb(42, 32, 25)'
  const summary = [175, 40, color]
  const field = [400, 44, color]
  const half = [195, 44, color]
  const button = [400, 48, color]
  const cancel = [160, 16, color]
  expect(places).toEqual([summary, summary, field, half, half, field, button, cancel])
  const frame = page.locator('iframe')
  await expect(frame).toHaveCSS('opacity', '0')
  await clickInFrame(page, 'ready')
  await waitForState(page, 'ready')
  await expect(bones).toHaveCount(0)
  await expect(frame).toHaveCSS('opacity', '1')
  expect(await shiftOf(page)).toBe(0)
})

test('the slot for loading replaces the places of the form', async ({ page, sites }) => {
  await sites.openShop({
    body: '<pi-checkout id="pay"><p slot="loading">One moment</p></pi-checkout>',
    hosted: () => 'silence',
  })
  await expect(page.getByText('One moment')).toBeVisible()
  await expect(page.locator('#pay i').first()).toBeHidden()
})
