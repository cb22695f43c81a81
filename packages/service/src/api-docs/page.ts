/**
 * The API for people: one page, made from the description that machines read.
 *
 * @module
 */
import {
  headers,
  limits,
  type ProblemCode,
  paymentIntentStatuses,
  phaseOf,
  problemCodes,
  routes,
} from '@pi-checkout/contract'
import { simulatedOutcomes } from '../../shared/sandbox-api.ts'
import { testCards } from '../provider/test-cards.ts'
import { faultNames } from '../sandbox/faults.ts'
import { errorGuide } from './error-guide.ts'
import { type OpenApi, openapi, operationProblems } from './openapi.ts'
import type { FieldSchema } from './request-schema.ts'

/** Returns the page. Every error's `type` points at a row of it. */
export function docsPage(serverUrl: string): string {
  const description = openapi(serverUrl)
  return `<!doctype html>
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
${sections.map(([id, title]) => `<li><a href="#${id}">${title}</a></li>`).join('\n')}
</ul>
<p class="small"><a href="/openapi.json">OpenAPI 3.1</a></p>
</nav>
<main>
<h1>Payment Intents API</h1>
<p class="lead">One attempt to collect payment for one order: your server creates it and reads it, the
buyer pays in the hosted checkout. This service is a sandbox and no PCI-compliant processor: the
acquirer is simulated, and only its test cards are accepted.</p>
${sections.map(([id, title, body]) => `<section id="${id}">\n<h2>${title}</h2>\n${body(description)}\n</section>`).join('\n')}
</main>
</body>
</html>
`
}

type Section = readonly [id: string, title: string, body: (description: OpenApi) => string]

const sections: readonly Section[] = [
  ['keys', 'Keys', keys],
  ['create', 'Create', create],
  ['retrieve', 'Retrieve', retrieve],
  ['statuses', 'Statuses', statuses],
  ['retries', 'Retries', retries],
  ['errors', 'Errors', errors],
  ['cards', 'Test cards', cards],
  ['faults', 'Faults', faults],
  ['sandbox', 'Sandbox control', sandbox],
]

function keys(): string {
  return `<p>Send your secret API key with every request, from your server only:
<code>Authorization: Bearer $PI_API_KEY</code>. The key decides the merchant and the environment, test or
live. A request that a browser sent is refused.</p>
<pre>pi-service keys create --merchant "Demo Shop" --environment test</pre>`
}

function create({ servers, components }: OpenApi): string {
  return `<p class="route"><b>POST</b> <code>${routes.create.path}</code></p>
<pre>curl ${escapeHtml(servers[0].url)}${routes.create.path} \\
  -H "Authorization: Bearer $PI_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: order-A-1001' \\
  -d '{ "amount": 150000, "currency": "AMD", "orderId": "A-1001" }'</pre>
${fieldTable(components.schemas.CreatePaymentIntent)}
<p>The answer is 201 with the intent and, this once, its <code>clientSecret</code>. Give
<code>id</code> and <code>clientSecret</code> to the page that shows <code>&lt;pi-checkout&gt;</code>, and
nothing else.</p>`
}

function retrieve({ servers, components }: OpenApi): string {
  return `<p class="route"><b>GET</b> <code>${routes.retrieve.path}</code></p>
<pre>curl ${escapeHtml(servers[0].url)}${routes.create.path}/$ID \\
  -H "Authorization: Bearer $PI_API_KEY"</pre>
<p>The answer is 200 with the intent as it stands now, without its secret. A foreign id, one of the
other environment and an unknown one get the same 404.</p>
${fieldTable(components.schemas.PaymentIntent)}`
}

function statuses(): string {
  const rows = paymentIntentStatuses.map((status) => [
    code(status),
    phaseOf(status),
    meanings[status],
  ])
  return `<p>An order is paid when its intent is <code>succeeded</code>, and amount, currency and
<code>orderId</code> are the order’s. Take an unknown status for not paid.</p>
${table(['status', 'phase', 'means'], rows)}`
}

const meanings: Readonly<Record<(typeof paymentIntentStatuses)[number], string>> = {
  requires_payment_method: 'The buyer has yet to pay, or may try again after a decline.',
  requires_action: 'The buyer is at the bank, for ten minutes at most.',
  processing: 'The provider has the payment and has not answered yet.',
  succeeded: 'Paid. Final.',
  failed: 'A hard decline, or the tenth attempt. Final.',
  canceled: 'The buyer canceled. Final.',
  expired: 'Nobody paid within 24 hours. Final.',
}

function retries(): string {
  return `<p>Send the same <code>${words(headers.idempotencyKey)}</code> with the same body again after
any lost answer: the first answer comes again, byte for byte, with
<code>${words(headers.idempotentReplayed)}: true</code>, for at least 24 hours. With another body the key
is refused. Every answer carries a <code>${words(headers.requestId)}</code>: quote it when you report
something.</p>`
}

function errors(): string {
  const rows = documentedCodes.map((name) => {
    const { status, title, retryable } = problemCodes[name]
    const again = retryable ? ' <span class="again">retry</span>' : ''
    const cells = [
      code(name) + again,
      String(status),
      escapeHtml(title),
      escapeHtml(errorGuide[name]),
    ]
    return `<tr id="${name}">${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
  })
  return `<p>Every error is <code>application/problem+json</code> with <code>code</code>,
<code>detail</code>, <code>requestId</code>, <code>retryable</code> and, for fields,
<code>errors</code>: at most 20, with the number of the others in <code>errorsOmitted</code>. No value, key or
secret is ever in it.</p>
<div class="scroll"><table>
<thead><tr><th>code</th><th>status</th><th>means</th><th>what to do</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>`
}

/** Those of the two operations first, in the order of their checks; then the hosted page's and the sandbox's. */
const documentedCodes: readonly ProblemCode[] = [
  ...new Set<ProblemCode>([
    ...operationProblems.create,
    ...operationProblems.retrieve,
    // The keys of an object are its names, which the type cannot say.
    ...(Object.keys(problemCodes) as ProblemCode[]),
  ]),
]

function cards(): string {
  const rows = testCards.map(({ number, outcome }) => [
    `<code>${number.replace(/(\d{4})(?=\d)/g, '$1 ')}</code>`,
    escapeHtml(outcomeText(outcome)),
  ])
  return `<p>Any future expiry and any security code. The stand-in bank takes <code>1234</code>, denies
<code>0000</code> and breaks at <code>9999</code>.</p>
${table(['number', 'result'], rows)}`
}

function outcomeText(outcome: (typeof testCards)[number]['outcome']): string {
  switch (outcome.result) {
    case 'authorised':
      return 'succeeds'
    case 'declined':
      return `${outcome.decline.replaceAll('_', ' ')}${outcome.hard ? ', final' : ''}`
    case 'challenge':
      return `${outcome.framing ? 'challenge' : 'challenge on a page of its own'}, then ${outcomeText(outcome.later)}`
    case 'pending':
      return outcome.after === undefined
        ? 'stays processing until it is settled in the inspector'
        : `processing for ${outcome.after / 1000} s, then succeeds`
  }
}

function faults(): string {
  const names = faultNames.split(', ').map(code).join(', ')
  return `<p>In a test environment the header <code>${words(headers.sandboxFault)}</code> breaks one request
on purpose: ${names}. Rules in the inspector, or
<code>POST /_sandbox/environments/:id/faults</code>, break the next requests of one test environment.</p>`
}

function sandbox(): string {
  return `<p>With the admin token of the running start as Bearer, on this machine, for test environments
only. The inspector shows all of it live.</p>
${table(
  ['request', 'does'],
  controls.map(([request, does]) => [code(request), does]),
)}`
}

const controls: readonly (readonly [string, string])[] = [
  ['GET /_sandbox/environments', 'test environments with clock, keys and origins'],
  [
    'PUT /_sandbox/environments/:id/clock',
    '{"advance": ms} or {"offset": ms}; DELETE returns to real time',
  ],
  [
    'POST /_sandbox/environments/:id/origins',
    '{"origin": …} registers an origin; DELETE with ?origin= takes it out',
  ],
  [
    'GET /_sandbox/environments/:id/intents',
    'the newest 200; also /requests, /idempotency, /lint; ?q= searches intents and requests',
  ],
  ['GET /_sandbox/intents/:id', 'an intent with timeline, attempts and requests'],
  ['POST /_sandbox/intents/:id/settle', `{"outcome": one of ${simulatedOutcomes.join(', ')}}`],
  ['POST /_sandbox/intents/:id/revoke-secret', 'its clientSecret opens no checkout any more'],
  [
    'POST /_sandbox/environments/:id/faults',
    '{"on": "create" or "retrieve", "do": fault, "times": 1} for requests of this environment; GET lists, DELETE clears',
  ],
  [
    'GET /_sandbox/export',
    'everything as JSON, in parts: ?after= its next has more; POST /_sandbox/import takes each back',
  ],
  ['POST /_sandbox/reset', '{} or {"environment": id} deletes intents, clock and rules'],
  ['GET /_sandbox/events', 'server-sent events: what to read again'],
]

/** The fields of an object, inner ones by their path. */
function fieldTable(schema: FieldSchema): string {
  return table(['field', 'type', 'rule'], fieldRows(schema, ''))
}

function fieldRows(schema: FieldSchema, prefix: string): readonly (readonly string[])[] {
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
      escapeHtml(rule.join('; ')),
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

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  return `<div class="scroll"><table>
<thead>${line(head, 'th')}</thead>
<tbody>
${rows.map((row) => line(row, 'td')).join('\n')}
</tbody>
</table></div>`
}

function code(text: string): string {
  return `<code>${escapeHtml(text)}</code>`
}

/** `idempotency-key` as people write it. */
function words(header: string): string {
  return header.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
