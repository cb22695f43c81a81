import type { Appearance } from '@pi-checkout/contract/frame-protocol'
import { expect, test } from 'vitest'
import { type Color, contrast, readColor } from '../../hosted/checkout/color.ts'
import { type DefaultColors, paletteOf } from '../../hosted/checkout/palette.ts'
import { readAppearance } from '../../hosted/checkout/read-appearance.ts'
import { frameAt, openShop, type ShopPage, startBrowserStack, violationsIn } from './browser.ts'

const base: DefaultColors = {
  surface: [255, 255, 255],
  text: [22, 24, 29],
  accent: [51, 70, 211],
  good: [11, 107, 65],
  bad: [179, 38, 30],
  waiting: [138, 83, 0],
}

const samples: readonly Color[] = [0, 110, 150, 255].flatMap((red) =>
  [0, 118, 255].flatMap((green) => [0, 118, 255].map((blue): Color => [red, green, blue])),
)

test('reaches the contrast of WCAG AA with any three colors', () => {
  const ratios = new Set<string>()
  const expectContrast = (colors: Record<string, string>, pair: string, ratio: number): void => {
    const [one, other] = pair.split(' ').map((token) => readColor(colors[token]))
    if (!one || !other) throw new Error(`${pair}: not in the palette`)
    if (contrast(one, other) < ratio) ratios.add(`${pair} ${contrast(one, other)}`)
  }
  for (const background of samples) {
    for (const text of samples) {
      for (const accent of [text, background, [255, 204, 0], [51, 70, 211]] as const) {
        const { colors } = paletteOf({ background, text, accent }, base)
        for (const token of ['text', 'muted', 'faint', 'accent', 'good', 'bad', 'waiting']) {
          for (const on of ['surface', 'raised']) expectContrast(colors, `${token} ${on}`, 4.5)
        }
        for (const pair of ['bad bad-surface', 'good good-surface', 'button on-button']) {
          expectContrast(colors, pair, 4.5)
        }
        expectContrast(colors, 'button-hover on-button', 4.5)
        for (const token of ['field-line', 'button-line']) {
          expectContrast(colors, `${token} surface`, 3)
        }
      }
    }
  }
  expect([...ratios]).toEqual([])
})

test('keeps colors that have enough contrast, and names each one that it corrects', () => {
  const fitting = {
    background: [255, 253, 249],
    text: [42, 32, 25],
    accent: [173, 67, 24],
  } as const
  expect(paletteOf(fitting, base)).toMatchObject({
    colors: { surface: '#fffdf9', text: '#2a2019', accent: '#ad4318', button: '#ad4318' },
    corrections: [],
  })
  const { colors, corrections } = paletteOf(
    { background: [119, 119, 119], text: [119, 119, 119], accent: [255, 204, 0] },
    base,
  )
  expect(colors).toMatchObject({ button: '#ffcc00', 'on-button': '#261f00' })
  expect(corrections).toEqual([
    `appearance.background: contrast to black text must be at least 5.5:1; #777777 has 4.6:1, so the page uses ${colors.surface}. Set a lighter color.`,
    `appearance.text: contrast to background ${colors.surface} must be at least 4.5:1; #777777 has 1.1:1, so the page uses #1c1c1c. Set a darker color.`,
    expect.stringMatching(/^appearance.accent: .* #ffcc00 has 2.4:1, so links and borders use #/),
  ])
})

const valid = {
  colorScheme: 'dark',
  accent: '#AD4318',
  background: { light: '#fff', dark: '#000000' },
  text: '#123',
  radius: 24,
  font: 'serif',
  density: 'compact',
} satisfies Appearance

test('reads each token', () => {
  expect(readAppearance(JSON.stringify(valid))).toEqual({ appearance: valid, errors: [] })
})

const rules = {
  colorScheme: 'must be one of "auto", "light", "dark"',
  accent: 'must be # and 3 or 6 hexadecimal digits, or { light, dark } with one such color each',
  radius: 'must be a number of pixels from 0 to 24',
}

test.each<[keyof typeof rules, unknown]>([
  ...[
    'red',
    '#12',
    '#12345',
    '#12345g',
    '#fff ',
    '#fff;color:red',
    'url(https://evil.example/a.png)',
    'var(--bad)',
    ['#fff'],
    null,
    16777215,
    { light: '#fff' },
    { light: '#fff', dark: 'red' },
    { light: '#fff', dark: '#000', href: '#fff' },
  ].map((value): ['accent', unknown] => ['accent', value]),
  ...[-1, 24.5, '10px', '10', true, null].map((value): ['radius', unknown] => ['radius', value]),
  ...['Dark', 'toString', 1, ['dark']].map((value): ['colorScheme', unknown] => [
    'colorScheme',
    value,
  ]),
])('rejects %s: %j with its rule, and keeps the other tokens (threat 71)', (token, value) => {
  const { [token]: _, ...others } = valid
  expect(readAppearance(JSON.stringify({ ...valid, [token]: value }))).toEqual({
    appearance: others,
    errors: [
      `appearance.${token}: ${rules[token]}; received ${JSON.stringify(value)}. The default is used.`,
    ],
  })
})

test.each(['__proto__', 'constructor', 'css', 'fontUrl'])(
  'rejects the token %s (threat 71)',
  (name) => {
    const { appearance, errors } = readAppearance(`{"${name}": {"accent": "#fff"}}`)
    expect([appearance, Object.getPrototypeOf(appearance)]).toEqual([{}, Object.prototype])
    expect(errors).toEqual([
      `appearance.${name}: is not known. Use colorScheme, accent, background, text, radius, font, density.`,
    ])
  },
)

test.each([undefined, 'null', '1', '{', ''])('reads %j as no appearance', (text) => {
  expect(readAppearance(text)).toEqual({ appearance: {}, errors: [] })
})

const stack = await startBrowserStack()

test('shows the appearance in the first view', async () => {
  const appearance: Appearance = {
    accent: '#ad4318',
    background: '#fffdf9',
    text: '#2a2019',
    radius: 14,
    font: 'serif',
    density: 'spacious',
  }
  const window = await openShop(stack, { query: { appearance: JSON.stringify(appearance) } })
  expect(await lookOf(window)).toEqual({
    background: 'rgb(255, 253, 249)',
    color: 'rgb(42, 32, 25)',
    pay: 'rgb(173, 67, 24)',
    label: 'rgb(255, 255, 255)',
    radius: '14px',
    font: expect.stringContaining('Charter'),
    field: '52px',
  })
})

test('follows a changed appearance and keeps what the buyer typed', async () => {
  const window = await openShop(stack)
  await window.fill('4242424242424242')
  const before = await lookOf(window)
  await change(window, { accent: '#ffcc00', background: '#101010', radius: 0 })
  await expectLook(window, {
    background: 'rgb(16, 16, 16)',
    pay: 'rgb(255, 204, 0)',
    label: 'rgb(38, 31, 0)',
    radius: '0px',
  })
  expect(await window.frame.getByLabel('Card number').inputValue()).toBe('4242 4242 4242 4242')
  expect((await window.messages()).filter((message) => message === 'hello')).toHaveLength(1)
  await change(window, null)
  await expectLook(window, before)
})

test('uses the color of the color scheme, and follows its change', async () => {
  const accent = { light: '#ad4318', dark: '#f19a58' }
  const window = await openShop(stack, {
    query: { scheme: 'light dark', appearance: JSON.stringify({ accent }) },
  })
  expect(await lookOf(window)).toMatchObject({ pay: 'rgb(173, 67, 24)' })
  await window.page.emulateMedia({ colorScheme: 'dark' })
  await expectLook(window, { pay: 'rgb(241, 154, 88)', background: 'rgb(21, 24, 29)' })
  await change(window, { accent, colorScheme: 'light' })
  await expectLook(window, { pay: 'rgb(173, 67, 24)', background: 'rgb(255, 255, 255)' })
})

test('ignores hostile values, loads nothing for them, and reports them in a test environment (threat 71)', async () => {
  const requests: string[] = []
  const printed: string[] = []
  const window = await openShop(stack, {
    expected: [/^pi-checkout: appearance\./],
    prepare: async (page) => {
      page.on('request', (request) => requests.push(new URL(request.url()).hostname))
      page.on('console', (message) => printed.push(`${message.type()}: ${message.text()}`))
    },
  })
  const before = await lookOf(window)
  const hostile = { font: '"x"; src: url(https://evil.example/f.woff2)', css: '@import "//evil"' }
  await change(window, { ...hostile, background: 'url(https://evil.example/a.png)' } as Appearance)
  await expect.poll(() => printed.length).toBe(3)
  expect(printed.map((line) => line.slice(0, 41))).toEqual([
    'error: pi-checkout: appearance.font: must',
    'error: pi-checkout: appearance.css: is no',
    'error: pi-checkout: appearance.background',
  ])
  expect(await lookOf(window)).toEqual(before)
  expect(new Set(requests)).toEqual(new Set(['shop.localhost', 'pay.localhost']))
  await window.frame.locator('html').evaluate("document.documentElement.dataset.mode = 'live'")
  await change(window, { radius: 99 })
  await change(window, { radius: 3 })
  await expectLook(window, { radius: '3px' })
  expect(printed).toHaveLength(3)
})

test('has no axe violations with colors that the page corrects', async () => {
  for (const color of ['#ffffff', '#777777']) {
    const appearance: Appearance = { accent: color, background: color, text: color }
    const window = await openShop(stack, { query: { appearance: JSON.stringify(appearance) } })
    await window.frame.getByTestId('sandbox-toggle').click()
    await window.frame.getByRole('button', { name: /^Pay / }).click()
    await window.frame.getByText('The card number is incomplete.').waitFor()
    const found = await violationsIn(frameAt(window, stack.checkout.url))
    expect(found, color).toEqual([])
  }
})

test('loads the dram sign before the amount', async () => {
  const requests: string[] = []
  const pair = await stack.checkout.createIntent({ currency: 'AMD' })
  const window = await openShop(stack, {
    pair,
    prepare: async (page) => {
      page.on('request', (request) => requests.push(new URL(request.url()).pathname))
    },
  })
  await window.frame.getByTestId('amount').getByText('֏').waitFor()
  const [font, session] = [/\/dram-.+\.woff2$/, /session$/].map((path) =>
    requests.findIndex((request) => path.test(request)),
  )
  expect(font).toBeGreaterThan(0)
  expect(font).toBeLessThan(session ?? 0)
})

async function change(window: ShopPage, appearance: Appearance | null): Promise<void> {
  const message = { t: 'config', locale: 'en', appearance: JSON.stringify(appearance) }
  await window.page.evaluate((sent) => Reflect.get(globalThis, 'send')(sent), message)
}

async function expectLook(window: ShopPage, look: object): Promise<void> {
  await expect.poll(async () => await lookOf(window)).toMatchObject(look)
}

/** Returns the computed styles of the page, a field, and the pay button. */
async function lookOf({ frame }: ShopPage): Promise<object> {
  return await frame.locator('html').evaluate(`(() => {
    const [page, field, pay] = ['html', 'input', '.pay'].map((part) =>
      getComputedStyle(document.querySelector(part)))
    return {
      background: page.backgroundColor,
      color: page.color,
      pay: pay.backgroundColor,
      label: pay.color,
      radius: pay.borderRadius,
      font: page.fontFamily,
      field: field.height,
    }
  })()`)
}
