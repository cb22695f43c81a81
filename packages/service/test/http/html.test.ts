import { expect, test } from 'vitest'
import { html } from '../../src/http/html.ts'

const hostile = `<img src=x onerror="alert('&')">`
const escaped = '&#60;img src=x onerror=&#34;alert(&#39;&#38;&#39;)&#34;&#62;'

test.each([
  ['a text', html`<p>${hostile}</p>`, `<p>${escaped}</p>`],
  ['an attribute', html`<a title="${hostile}"></a>`, `<a title="${escaped}"></a>`],
  ['a list', html`${[hostile, html`<i>${hostile}</i>`]}`, `${escaped}<i>${escaped}</i>`],
  ['a number and nothing', html`${1}${undefined}`, '1'],
] as const)('escapes %s, except the results of templates', (_, { text }, expected) => {
  expect(text).toBe(expected)
})
