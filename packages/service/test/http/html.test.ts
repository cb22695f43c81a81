import { expect, test } from 'vitest'
import { escapeHtml } from '../../src/http/html.ts'

test('escapes a text for an element or an attribute', () => {
  expect(escapeHtml(`<img src=x onerror="alert('&')">`)).toBe(
    '&#60;img src=x onerror=&#34;alert(&#39;&#38;&#39;)&#34;&#62;',
  )
})
