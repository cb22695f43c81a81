/** Texts near a valid one, as attackers and accidents send them. @module */
import fc from 'fast-check'

/** Numbers, JSON, names, and values of headers that are ambiguous, or that programs read in different ways. */
const oddTokens =
  '1e400 -0 100.0 1E2 9007199254740993 0x10 01 1. .5 NaN +1 -1 0 true null [] {} [ " "" "AMD" "usd" ' +
  '"\\ud800" "\\u0000" "\\u202e" "__proto__" "constructor" {"__proto__":1} {"a":1,"a":2} x%00 ../.. ' +
  'chunked 0x5 99999999 Bearer Bearer,Bearer bytes=0-0,0-0 application/json;charset='
const headers =
  'Authorization Idempotency-Key Content-Type Content-Length Transfer-Encoding Connection Host Origin ' +
  'Referer Cookie Expect Range If-None-Match Sec-Fetch-Site X-Forwarded-For Forwarded Sandbox-Fault X'
const depths = [5, 6, 500].map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
const lengths = [`"${'é'.repeat(40)}"`, `"${'𝄞'.repeat(32)}"`, `{"${'k'.repeat(41)}":"v"}`]

/** Bytes of what takes long to read: less than the 64 KB that a body may have. */
const size = 60_000
const long = fc
  .constantFrom('[', '{"a":', ' ', '9', '1.', '"', '\\', '\0', '%', 'é', '{},', '"a":1,', '"𝄞",')
  .map((part) => Buffer.from(part.repeat(size)).subarray(0, size).toString())

const token = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...oddTokens.split(' '), ...depths, ...lengths) },
  { weight: 4, arbitrary: fc.json({ maxDepth: 4, depthSize: 'small' }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  { weight: 2, arbitrary: fc.constantFrom(...headers.split(' ')).map((name) => `\r\n${name}: 1`) },
  { weight: 1, arbitrary: long },
)

/** Up to three of the words, strings, and signs of a text are removed, repeated, or replaced. */
export function near(text: string): fc.Arbitrary<string> {
  const tokens = text.match(/"[^"]*"|[\w-]+|./gs) ?? []
  const times = fc.constantFrom(0, 2, 500)
  const at = fc.nat(Math.max(0, tokens.length - 1))
  const changes = fc.array(fc.tuple(at, fc.oneof(times, token, token)), { maxLength: 3 })
  return changes.map((all) => {
    const changed = [...tokens]
    for (const [place, to] of all) {
      changed[place] = typeof to === 'number' ? String(tokens[place]).repeat(to) : to
    }
    return changed.join('')
  })
}
