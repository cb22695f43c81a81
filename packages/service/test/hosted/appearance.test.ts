import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Appearance } from '@pi-checkout/contract/frame-protocol'
import { expect, test } from 'vitest'
import {
  type Color,
  contrast,
  contrastWarnings,
  type DefaultColors,
  paletteOf,
  readColor,
} from '../../hosted/checkout/palette.ts'
import { readAppearance } from '../../hosted/checkout/read-appearance.ts'

const base: DefaultColors = {
  surface: [255, 255, 255],
  text: [22, 24, 29],
  accent: [51, 70, 211],
  good: [11, 107, 65],
  bad: [179, 38, 30],
}

const samples: readonly Color[] = [0, 110, 150, 255].flatMap((red) =>
  [0, 118, 255].flatMap((green) => [0, 118, 255].map((blue): Color => [red, green, blue])),
)

test('mixes colors with the contrast of WCAG AA for any three colors', async () => {
  const ratios = new Set<string>()
  const expectContrast = (colors: Record<string, string>, pair: string, ratio: number): void => {
    const [one, other] = pair.split(' ').map((token) => readColor(colors[token]))
    if (!one || !other) throw new Error(`${pair}: not in the palette`)
    if (contrast(one, other) < ratio) ratios.add(`${pair} ${contrast(one, other)}`)
  }
  // A background between black and white has no color with enough contrast. It is warned of.
  const backgrounds = samples.filter(
    (background) => contrastWarnings({ background }, base).length === 0,
  )
  expect(backgrounds.length).toBeGreaterThan(samples.length / 2)
  for (const background of backgrounds) {
    await nextTurn()
    for (const text of samples) {
      for (const accent of [text, background, [255, 204, 0], [51, 70, 211]] as const) {
        const colors = paletteOf({ background, text, accent }, base)
        for (const token of ['muted', 'faint', 'good', 'bad']) {
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
    const byDefault = paletteOf({ background }, base)
    for (const token of ['text', 'accent']) expectContrast(byDefault, `${token} raised`, 4.5)
  }
  expect([...ratios]).toEqual([])
})

test('keeps the merchant’s colors, and warns of each one without enough contrast', () => {
  const shown = { background: [255, 253, 249], text: [42, 32, 25] } as const
  const fitting = { ...shown, accent: [173, 67, 24] } as const
  expect(contrastWarnings(fitting, base)).toEqual([])
  const gray: Color = [119, 119, 119]
  const faint = { background: gray, text: gray, accent: [255, 204, 0] } as const
  const kept = { surface: '#777777', text: '#777777', accent: '#ffcc00', button: '#ffcc00' }
  expect(paletteOf(faint, base)).toMatchObject(kept)
  const warning = (name: string) =>
    expect.stringMatching(`^appearance.${name}: contrast to .* Set a `)
  expect(contrastWarnings(faint, base)).toEqual(['background', 'text', 'accent'].map(warning))
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
  ['accent', '#fff;color:red'],
  ['accent', 'url(https://evil.example/a.png)'],
  ['accent', { light: '#fff' }],
  ['accent', { light: '#fff', dark: '#000', href: '#fff' }],
  ['radius', 24.5],
  ['radius', '10px'],
  ['radius', null],
  ['colorScheme', 'toString'],
])('rejects %s: %j with its rule, and keeps the other tokens', (token, value) => {
  const { [token]: _, ...others } = valid
  expect(readAppearance(JSON.stringify({ ...valid, [token]: value }))).toEqual({
    appearance: others,
    errors: [`appearance.${token}: ${rules[token]}. The default is used.`],
  })
})

test.each(['__proto__', 'constructor', 'css', 'fontUrl'])('rejects the token %s', (name) => {
  const { appearance, errors } = readAppearance(`{"${name}": {"accent": "#fff"}}`)
  expect([appearance, Object.getPrototypeOf(appearance)]).toEqual([{}, Object.prototype])
  expect(errors).toEqual([
    `appearance.${name}: is not known. Use colorScheme, accent, background, text, radius, font, density.`,
  ])
})

test.each([undefined, 'null', '1', '{', ''])('reads %j as no appearance', (text) => {
  expect(readAppearance(text)).toEqual({ appearance: {}, errors: [] })
})
