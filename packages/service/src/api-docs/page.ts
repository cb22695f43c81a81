/** Generates the API documentation, a page, from the OpenAPI description. @module */
import {
  headers,
  limits,
  type ProblemCode,
  paymentIntentStatuses,
  phaseOf,
  problemCodes,
  routes,
} from '@pi-checkout/contract'
import { type TestCardName, testCards } from '@pi-checkout/contract/sandbox'
import { faultNames, simulatedOutcomes } from '../../shared/sandbox-api.ts'
import { type Html, type HtmlValue, html } from '../http/html.ts'
import { type CardOutcome, outcomes } from '../provider/acquirer.ts'
import { errorGuide } from './error-guide.ts'
import { type OpenApi, openapi, operationProblems } from './openapi.ts'
import type { FieldSchema } from './request-schema.ts'

/** Returns the page as HTML. The `type` of each problem links to a row in it. */
export function docsPage(serverUrl: string): string {
  const description = openapi(serverUrl)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Payment Intents API</title>
<link rel="stylesheet" href="/docs.css">
</head>
<body>
<nav aria-label="Contents">
<p>Payment Intents</p>
<ul>
${sections.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}
</ul>
<p><a href="/openapi.json">OpenAPI 3.1</a></p>
</nav>
<main>
<h1>Payment Intents API</h1>
<p class="hint">A Payment Intent collects one payment for one order. Your server creates and retrieves it; the
buyer pays in the hosted checkout. This service is a sandbox, not a PCI-compliant processor: the acquirer is
simulated, and only its test cards are accepted.</p>
${sections.map(([id, title, body]) => html`<section id="${id}">\n<h2>${title}</h2>\n${body(description)}\n</section>\n`)}
</main>
</body>
</html>
`.text
}

type Section = readonly [id: string, title: string, body: (description: OpenApi) => Html]

const sections: readonly Section[] = [
  ['keys', 'Keys', keys],
  ['create', 'Create', create],
  ['retrieve', 'Retrieve', retrieve],
  ['statuses', 'Statuses', statuses],
  ['retries', 'Retries', retries],
  ['errors', 'Errors', errors],
  ['cards', 'Test cards', cards],
  ['faults', 'Faults', faults],
  ['sandbox', 'Sandbox API', sandbox],
]

function keys(): Html {
  return html`<p>Send your secret API key with every request, from your server only:
<code>Authorization: Bearer $PI_API_KEY</code>. The key determines the merchant and the environment, test or
live. Requests from browsers are rejected.</p>
<pre>pi-service keys create --merchant "Tsiran" --environment test</pre>`
}

function create({ servers, components }: OpenApi): Html {
  return html`<p class="route"><b>POST</b> <code>${routes.create.path}</code></p>
<pre>curl ${servers[0].url}${routes.create.path} \\
  -H "Authorization: Bearer $PI_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: order-A-1001' \\
  -d '{ "amount": 150000, "currency": "AMD", "orderId": "A-1001" }'</pre>
${fieldTable(components.schemas.CreatePaymentIntent)}
<p>The response is 201 with the intent and, only here, its <code>clientSecret</code>. Send
<code>id</code> and <code>clientSecret</code> to the page that shows <code>&lt;pi-checkout&gt;</code>, and
no other field.</p>`
}

function retrieve({ servers, components }: OpenApi): Html {
  return html`<p class="route"><b>GET</b> <code>${routes.retrieve.path}</code></p>
<pre>curl ${servers[0].url}${routes.create.path}/$ID \\
  -H "Authorization: Bearer $PI_API_KEY"</pre>
<p>The response is 200 with the current intent, without its secret. An unknown id, an id of another merchant,
and an id of the other environment get the same 404.</p>
${fieldTable(components.schemas.PaymentIntent)}`
}

function statuses(): Html {
  const rows = paymentIntentStatuses.map((status) => [
    code(status),
    phaseOf(status),
    meanings[status],
  ])
  return html`<p>An order is paid if its intent is <code>succeeded</code> and has the order’s amount, currency, and
<code>orderId</code>. Treat an unknown status as not paid.</p>
${table(['status', 'phase', 'meaning'], rows)}`
}

const meanings: Readonly<Record<(typeof paymentIntentStatuses)[number], string>> = {
  requires_payment_method: 'The buyer has not paid yet, or can try again after a decline.',
  requires_action: 'The bank’s challenge is open, for at most ten minutes.',
  processing: 'The provider has not decided yet.',
  succeeded: 'Paid. Final.',
  failed: 'A hard decline, or the tenth confirmation failed. Final.',
  canceled: 'The buyer canceled. Final.',
  expired: 'Not paid within 24 hours. Final.',
}

function retries(): Html {
  return html`<p>If a response is lost, send the same <code>${headerName(headers.idempotencyKey)}</code> with the same
body again. For at least 24 hours you get the first response, byte for byte, with
<code>${headerName(headers.idempotentReplayed)}: true</code>. A different body with the same key is rejected. Every
response has a <code>${headerName(headers.requestId)}</code>: include it in error reports.</p>`
}

function errors(): Html {
  const rows = documentedCodes.map((name) => {
    const { status, title, retryable } = problemCodes[name]
    return html`<tr id="${name}"><td>${code(name)}${retryable ? html` <span class="retry">retry</span>` : ''}</td>
<td>${status}</td><td>${title}</td><td>${errorGuide[name]}</td></tr>\n`
  })
  return html`<p>Every error is <code>application/problem+json</code> with <code>code</code>,
<code>detail</code>, <code>requestId</code>, <code>retryable</code>, and for invalid fields
<code>errors</code>: at most 20, with the number of the others in <code>errorsOmitted</code>. Errors contain no
values, keys, or secrets.</p>
${tableOf(['code', 'status', 'meaning', 'what to do'], rows)}`
}

/** The codes of the two operations first, in the order of their checks. */
const documentedCodes: readonly ProblemCode[] = [
  ...new Set<ProblemCode>([
    ...operationProblems.create,
    ...operationProblems.retrieve,
    // `Object.keys` types keys as `string`.
    ...(Object.keys(problemCodes) as ProblemCode[]),
  ]),
]

function cards(): Html {
  // `Object.keys` types keys as `string`.
  const rows = (Object.keys(outcomes) as TestCardName[]).map((name) => [
    code(testCards[name].replace(/(\d{4})(?=\d)/g, '$1 ')),
    outcomeText(outcomes[name]),
  ])
  return html`<p>Use any future expiry date and any security code. The test bank accepts <code>1234</code>, denies
<code>0000</code>, and fails with <code>9999</code>.</p>
${table(['number', 'result'], rows)}`
}

function outcomeText(outcome: CardOutcome): string {
  switch (outcome.result) {
    case 'authorised':
      return 'succeeds'
    case 'declined':
      return `${outcome.decline.replaceAll('_', ' ')}${outcome.hard ? ', final' : ''}`
    case 'challenge':
      return `${outcome.framing ? 'challenge' : 'challenge on a separate page'}, then ${outcomeText(outcome.later)}`
    case 'pending':
      return outcome.after === undefined
        ? 'stays processing until the inspector simulates an outcome'
        : `processing for ${outcome.after / 1000} s, then succeeds`
  }
}

function faults(): Html {
  const names = faultNames.split(', ').map((name, index) => [index > 0 ? ', ' : '', code(name)])
  return html`<p>In a test environment the header <code>${headerName(headers.sandboxFault)}</code> injects a fault into
one request: ${names}. Fault rules, added in the inspector or with
<code>POST /_sandbox/environments/:id/faults</code>, apply to the next requests of one test environment.</p>`
}

function sandbox(): Html {
  return html`<p>Send the admin token of the running service as a Bearer token, from the same host. The API covers test
environments only. The inspector uses this API.</p>
${table(
  ['request', 'effect'],
  controls.map(([request, effect]) => [code(request), effect]),
)}`
}

const controls: readonly (readonly [string, string])[] = [
  ['GET /_sandbox/environments', 'Lists test environments with clock, keys, and origins'],
  [
    'PUT /_sandbox/environments/:id/clock',
    'Sets the clock: {"advance": ms} or {"offset": ms}. DELETE returns to real time',
  ],
  [
    'POST /_sandbox/environments/:id/origins',
    'Registers an origin: {"origin": …}. DELETE with ?origin= removes it',
  ],
  [
    'GET /_sandbox/environments/:id/intents',
    'Lists the newest 200 intents. Also /requests, /idempotency, and /lint. ?q= searches intents and requests',
  ],
  ['GET /_sandbox/intents/:id', 'Returns an intent with its events, confirmations, and requests'],
  [
    'POST /_sandbox/intents/:id/settle',
    `Simulates an outcome: {"outcome": one of ${simulatedOutcomes.join(', ')}}`,
  ],
  ['POST /_sandbox/intents/:id/revoke-secret', 'Revokes the clientSecret and ends open sessions'],
  [
    'POST /_sandbox/environments/:id/faults',
    'Adds a fault rule: {"on": "create" or "retrieve", "do": fault, "times": 1}. GET lists, DELETE clears',
  ],
  [
    'GET /_sandbox/export',
    'Exports a part as JSON. ?after= with its "next" exports the next part. POST /_sandbox/import imports a part',
  ],
  [
    'POST /_sandbox/reset',
    'Deletes intents and rules, and resets clocks: {} or {"environment": id}',
  ],
  ['GET /_sandbox/events', 'Streams server-sent events with the topics that changed'],
]

/** Renders the fields of an object. The fields of inner objects are listed by path. */
function fieldTable(schema: FieldSchema): Html {
  return table(['field', 'type', 'rule'], fieldRows(schema, ''))
}

function fieldRows(schema: FieldSchema, prefix: string): readonly (readonly HtmlValue[])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inner = field.anyOf?.find(({ type }) => type !== 'null') ?? field
    const isNullable = inner !== field || [field.type].flat().includes('null')
    const isRequired = schema.required?.includes(name) ?? false
    const type = [inner.type ?? 'string'].flat().filter((each) => each !== 'null')
    const rule = [
      isRequired ? '' : 'optional',
      inner.description ?? field.description ?? '',
      sizeOf(inner),
    ].filter(Boolean)
    const row = [
      code(prefix + name),
      `${type.join(' or ')}${isNullable ? ' or null' : ''}`,
      rule.join('; '),
    ]
    return [row, ...fieldRows(inner, `${prefix}${name}.`)]
  })
}

function sizeOf({
  minLength,
  maxLength,
  maxProperties,
  minimum,
  enum: values,
}: FieldSchema): string {
  if (values) return values.join(', ')
  if (maxProperties !== undefined) {
    return `at most ${maxProperties} entries, keys of up to ${limits.metadataKey} and values of up to ${limits.metadataValue} characters`
  }
  if (maxLength !== undefined) return `${minLength ?? 0} to ${maxLength} characters`
  return minimum === undefined || minimum < 0 ? '' : `at least ${minimum}`
}

function table(head: readonly string[], rows: readonly (readonly HtmlValue[])[]): Html {
  return tableOf(
    head,
    rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`),
  )
}

function tableOf(head: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="scroll"><table>
<thead><tr>${head.map((cell) => html`<th>${cell}</th>`)}</tr></thead>
<tbody>
${rows}</tbody>
</table></div>`
}

function code(text: string): Html {
  return html`<code>${text}</code>`
}

/** Returns a header name with capitals, such as `Idempotency-Key`. */
function headerName(header: string): string {
  return header.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
}
