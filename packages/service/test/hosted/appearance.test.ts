import type { Appearance } from '@pi-checkout/contract/frame-protocol'
import { expect, test } from 'vitest'
import {
  type Color,
  contrast,
  type DefaultColors,
  paletteOf,
  readColor,
  schemeOf,
} from '../../hosted/checkout/palette.ts'
import { readAppearance } from '../../hosted/checkout/read-appearance.ts'

/** The style sheet's colors: of both schemes, and of what is shown on a merchant's background. */
const defaults = {
  light: { surface: '#ffffff', text: '#16181d', muted: '#5a6170', accent: '#3346d3' },
  dark: { surface: '#15181d', text: '#eff1f5', muted: '#a4abb9', accent: '#8995ff' },
}
const messages = { light: ['#0b6b41', '#b3261e'], dark: ['#6adaa6', '#ff9e96'] }

const samples: readonly Color[] = [0, 52, 118, 231, 255].flatMap((red) =>
  [0, 52, 118, 231, 255].flatMap((green) =>
    [0, 52, 118, 231, 255].map((blue): Color => [red, green, blue]),
  ),
)

function colorOf(text: string | undefined): Color {
  const color = readColor(text)
  if (!color) throw new Error(`${text}: not a color`)
  return color
}

const backgrounds = samples.flatMap((background) => {
  const scheme = schemeOf(background)
  return scheme ? [{ background, scheme }] : []
})

test('every accepted background and accent has the contrast of WCAG AA', () => {
  const failures: string[] = []
  expect(backgrounds.map(({ background }) => background.join())).toEqual(
    expect.arrayContaining(['0,0,0', '52,52,52', '231,231,231', '255,255,255']),
  )
  for (const { background, scheme } of backgrounds) {
    const entries = Object.entries(defaults[scheme]).map(([name, text]) => [name, colorOf(text)])
    const base = Object.fromEntries(entries) as DefaultColors
    for (const accent of [undefined, ...samples]) {
      const colors = paletteOf({ background, accent }, base)
      const check = (one: Color, other: string, ratio: number): void => {
        if (contrast(one, colorOf(colors[other])) < ratio) failures.push(`${one} on ${other}`)
      }
      for (const on of ['surface', 'raised', 'ground']) {
        const texts = [colors.accent, ...Object.values(defaults[scheme]).slice(1, 3)]
        for (const text of [...texts, ...messages[scheme]]) check(colorOf(text), on, 4.5)
      }
      for (const on of ['button', 'button-hover']) check(colorOf(colors['on-button']), on, 4.5)
      for (const line of ['field-line', 'button-line']) check(colorOf(colors[line]), 'surface', 3)
    }
  }
  expect([...new Set(failures)]).toEqual([])
})

test('uses the merchant’s colors as they are, but no accent for texts that could not be read', () => {
  const base = Object.fromEntries(
    Object.entries(defaults.light).map(([name, text]) => [name, colorOf(text)]),
  ) as DefaultColors
  const background = colorOf('#fffdf9')
  expect(paletteOf({ background, accent: colorOf('#ad4318') }, base)).toMatchObject({
    surface: '#fffdf9',
    accent: '#ad4318',
    button: '#ad4318',
    'button-line': '#ad4318',
  })
  expect(paletteOf({ background, accent: colorOf('#ffcc00') }, base)).toMatchObject({
    accent: '#16181d',
    button: '#ffcc00',
    'button-line': '#16181d',
    'on-button': '#000000',
  })
})

const valid = {
  colorScheme: 'dark',
  accent: '#AD4318',
  background: { light: '#fff', dark: '#000000' },
} satisfies Appearance

test('reads each token', () => {
  expect(readAppearance(JSON.stringify(valid))).toEqual({ appearance: valid, errors: [] })
})

const rules = {
  colorScheme: 'must be one of "auto", "light", "dark"',
  accent: 'must be # and 3 or 6 hexadecimal digits, or { light, dark } with one such color each',
  background:
    'must be # and 3 or 6 hexadecimal digits, or { light, dark } with one such color each, as light as #e7e7e7 or as dark as #343434',
}

test.each<[keyof typeof rules, unknown]>([
  ['accent', '#fff;color:red'],
  ['accent', 'url(https://evil.example/a.png)'],
  ['accent', { light: '#fff' }],
  ['accent', { light: '#fff', dark: '#000', href: '#fff' }],
  ['background', '#777'],
  ['background', { light: '#fff', dark: '#777' }],
  ['background', 'url(https://evil.example/a.png)'],
  ['colorScheme', 'toString'],
])('rejects %s: %j with its rule, and keeps the other tokens', (token, value) => {
  const { [token]: _, ...others } = valid
  expect(readAppearance(JSON.stringify({ ...valid, [token]: value }))).toEqual({
    appearance: others,
    errors: [`appearance.${token}: ${rules[token]}. The default is used.`],
  })
})

test.each(['__proto__', 'constructor', 'css', 'radius'])('rejects the token %s', (name) => {
  const { appearance, errors } = readAppearance(`{"${name}": {"accent": "#fff"}}`)
  expect([appearance, Object.getPrototypeOf(appearance)]).toEqual([{}, Object.prototype])
  expect(errors).toEqual([`appearance.${name}: is not known. Use colorScheme, accent, background.`])
})

test.each([undefined, 'null', '1', '{', ''])('reads %j as no appearance', (text) => {
  expect(readAppearance(text)).toEqual({ appearance: {}, errors: [] })
})
