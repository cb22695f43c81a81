import {
  actInFrame,
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
  await expect(bones).toHaveCount(7)
  await expect(bones.first()).toHaveCSS('background-color', 'rgb(42, 32, 25)')
  const frame = page.locator('iframe')
  await expect(frame).toHaveCSS('opacity', '0')
  await actInFrame(page, 'ready')
  await waitForState(page, 'ready')
  await expect(bones).toHaveCount(0)
  await expect(frame).toHaveCSS('opacity', '1')
  expect(await shiftOf(page)).toBe(0)
})

test('the slot for loading replaces the places of the form', async ({ page, sites }) => {
  await sites.openShop({
    body: '<pi-checkout id="pay"><p slot="loading">One moment</p></pi-checkout>',
    hosted: () => null,
  })
  await expect(page.getByText('One moment')).toBeVisible()
  await expect(page.locator('#pay i').first()).toBeHidden()
})
