/**
 * The API for people: one plain page, made from what the service itself goes by.
 *
 * @module
 */
import {
  limits,
  type ProblemCode,
  paymentIntentStatuses,
  phaseOf,
  problemCodes,
} from '@pi-checkout/contract'
import { faultNames } from '../sandbox/faults.ts'
import { operationProblems } from './openapi.ts'

/** Returns the page. Every error's `type` points at a row of it. */
export function docsPage(serverUrl: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Payment Intents API</title>
<link rel="stylesheet" href="/docs.css">
</head>
<body>
<main>
<h1>Payment Intents</h1>
<p>One attempt to collect payment for one order: your server creates it and reads it, the buyer pays
in the hosted checkout. This service is a sandbox: the acquirer is simulated and only its test cards
are accepted. Machine-readable: <a href="/openapi.json">OpenAPI 3.1</a>.</p>

<h2>Create</h2>
<pre>curl ${escaped(serverUrl)}/payment-intents \\
  -H "Authorization: Bearer $PI_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: order-A-1001' \\
  -d '{ "amount": 150000, "currency": "AMD", "orderId": "A-1001" }'</pre>
${table(
  ['field', 'rule'],
  [
    ['amount', 'required; whole number of minor units, at least 1: 150000 is 1500.00 AMD'],
    ['currency', 'required; AMD, USD, EUR or RUB; answered in upper case'],
    ['orderId', `required; 1 to ${limits.orderId} characters; a UUID fits without its hyphens`],
    ['customer', 'optional; id (required in it), email, name'],
    [
      'metadata',
      `optional; at most ${limits.metadataKeys} texts under keys of up to ${limits.metadataKey} characters`,
    ],
  ],
)}
<p>The answer is 201 with <code>id</code> and <code>clientSecret</code>: give both to the paying
browser session and nothing else. Send the same <code>Idempotency-Key</code> with the same body
after any lost answer: the first one comes again, byte for byte, for at least 24 hours.</p>

<h2>Retrieve</h2>
<pre>curl ${escaped(serverUrl)}/payment-intents/$ID -H "Authorization: Bearer $PI_API_KEY"</pre>
${table(
  ['status', 'means'],
  paymentIntentStatuses.map((status) => [status, phaseOf(status)]),
)}

<h2>Errors</h2>
<p>Every error is <code>application/problem+json</code>. Quote its <code>requestId</code> when you
report it; no value, key or secret is ever in it.</p>
<table>
<thead><tr><th>code</th><th>status</th><th>means</th><th>the same request again?</th></tr></thead>
<tbody>
${documentedCodes.map(problemRow).join('\n')}
</tbody>
</table>

<h2>Faults</h2>
<p>In a test environment the header <code>Sandbox-Fault</code> breaks one request on purpose:
${faultNames
  .split(', ')
  .map((name) => `<code>${escaped(name)}</code>`)
  .join(', ')}.</p>
</main>
</body>
</html>
`
}

/** The page's style: a file, because its policy allows no other. */
export const docsStyle = `:root { color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif; }
body { margin: 0; }
main { max-inline-size: 46rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.75rem; } h2 { font-size: 1.25rem; margin-block-start: 2.5rem; }
pre { overflow-x: auto; padding: 1rem; border-radius: .5rem; background: color-mix(in srgb, currentColor 8%, transparent); }
code, pre { font-family: ui-monospace, monospace; font-size: .875rem; }
table { border-collapse: collapse; inline-size: 100%; font-size: .9375rem; }
th, td { text-align: start; vertical-align: top; padding: .4rem .75rem .4rem 0; border-block-end: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
tr:target { background: color-mix(in srgb, Highlight 25%, transparent); }
`

const documentedCodes: readonly ProblemCode[] = [
  ...new Set<ProblemCode>([
    ...operationProblems.create,
    ...operationProblems.retrieve,
    'not_found',
  ]),
]

function problemRow(code: ProblemCode): string {
  const { status, title, retryable } = problemCodes[code]
  const cells = [`<code>${code}</code>`, String(status), escaped(title), retryable ? 'yes' : 'no']
  return `<tr id="${code}">${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
}

function table(head: readonly string[], rows: readonly (readonly [string, string])[]): string {
  const heads = head.map((cell) => `<th>${escaped(cell)}</th>`).join('')
  const body = rows
    .map(
      ([name, rule]) => `<tr><td><code>${escaped(name)}</code></td><td>${escaped(rule)}</td></tr>`,
    )
    .join('\n')
  return `<table>\n<thead><tr>${heads}</tr></thead>\n<tbody>\n${body}\n</tbody>\n</table>`
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
