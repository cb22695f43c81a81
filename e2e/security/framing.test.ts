import { goToFullPage, openCheckout } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/cross-site-stack.ts'
import { messages, messageTypes, playElement } from '../fixtures/played-element.ts'

test('gives form, data, and ack to a frame in the registered shop only', {
  tag: '@firefox',
}, async ({ page, context, stack, attacker, pageErrors }) => {
  pageErrors.allow(/./)
  const printed: string[] = []
  context.on('console', (line) => printed.push(line.text()))
  const { id } = await openCheckout(page)
  await goToFullPage(page)
  const fullPage = page.url()
  const { checkoutOrigin, shopUrl } = stack
  attacker.respond = () => ''
  const known = `${checkoutOrigin}/checkout/${id}`
  const unknown = `${checkoutOrigin}/checkout/pi_${'0'.repeat(24)}`
  const withoutReferrer = { referrerpolicy: 'no-referrer' }

  const attack = async (
    site: string,
    address: string,
    attributes: Readonly<Record<string, string>> = {},
  ): Promise<void> => {
    const message = `${JSON.stringify(attributes)} ${address} in ${site}`
    const tab = await context.newPage()
    await tab.goto(site)
    await playElement(tab, address, attributes)
    // A page that the browser shows says hello before its load event; otherwise the browser blocked it or its scripts.
    await expect.poll(() => tab.evaluate('window.loaded'), { message }).toBe(true)
    if ((await messages(tab)).length > 0) {
      await tab.evaluate('sendInit()')
      await expect.poll(() => messageTypes(tab), { message }).toContain('fail')
    }
    const types = (await messages(tab)).map(({ data }) => data.t)
    expect(['hello', 'fail'], message).toEqual(expect.arrayContaining(types))
    for (const frame of tab.frames().slice(1)) {
      const content = await frame
        .evaluate(() => ({
          fields: document.querySelectorAll('form, input, button').length,
          text: document.body.textContent ?? '',
        }))
        .catch(() => ({ fields: 0, text: '' }))
      expect(content.fields, message).toBe(0)
      expect(content.text, message).not.toMatch(/\d[\d,.]*\s*֏|֏\s*\d/)
    }
    await tab.close()
  }
  await Promise.all([
    attack(attacker.origin, known),
    attack(attacker.origin, known, withoutReferrer),
    attack(attacker.origin, known, { sandbox: 'allow-scripts' }),
    attack(attacker.origin, unknown),
    attack(attacker.origin, unknown, withoutReferrer),
    attack(attacker.origin, `${shopUrl}/pay/x`),
    attack(attacker.origin, fullPage),
    // A subdomain of the registered shop, and the shop's name on another port.
    attack(`http://evil.shop.localhost:${attacker.port}`, known),
    attack(`http://shop.localhost:${attacker.port}`, known),
  ])
  const fix = `npx pi-service origins add ${attacker.origin}`
  expect(printed).toContain(`pi-checkout: origin_not_allowed. Run: ${fix}`)
})
