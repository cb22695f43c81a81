/**
 * The pages of `POST {basePath}/start`, which leads to the hosted page as a separate page. The secret is in a form,
 * because addresses are stored and logged.
 *
 * @module
 */
import type { Handoff } from '../client/payment-intents.ts'
import type { Asked } from './parse-request.ts'
import { type HandoffProblemCode, handoffProblems } from './problem.ts'

/** Where the hosted page is, and what it gets. */
export interface HostedPage {
  readonly checkoutOrigin: string
  readonly returnUrl: string
  readonly locale: string
  /** JSON. */
  readonly appearance: string
}

/** Returns a page with one button to the hosted page. Its form submits itself where scripts run. */
export async function startPage(
  { id, clientSecret }: Handoff,
  { checkoutOrigin, ...fields }: HostedPage,
): Promise<Response> {
  const texts = textsOf(fields.locale)
  const action = `${checkoutOrigin}/checkout/${encodeURIComponent(id)}`
  const form = formOf(action, { clientSecret, ...fields }, texts.go)
  // The hosted page redirects back to the shop if the browser denies its cookie.
  const targets = `${checkoutOrigin} ${new URL(fields.returnUrl).origin}`
  return page({ status: 200, texts, targets, content: `${form}<script>${script}</script>` })
}

/** Returns a page for an error, with a button that sends the request again. */
export async function startProblemPage(
  code: HandoffProblemCode,
  { locale, orderId, returnUrl }: Asked & { readonly returnUrl?: string },
): Promise<Response> {
  const texts = textsOf(locale)
  const { status } = handoffProblems[code]
  const again = status < 500 ? '' : formOf('', { orderId, locale }, texts.again)
  const back = returnUrl ? `<p><a href="${escaped(returnUrl)}">${texts.back}</a></p>` : ''
  const content = `<p role="alert">${texts.failed}</p>${again}${back}`
  return page({ status, texts, targets: "'self'", content })
}

const en = {
  lang: 'en',
  title: 'Payment',
  go: 'Continue to payment',
  failed: 'The payment page cannot be opened right now.',
  again: 'Try again',
  back: 'Back to the shop',
}

type Texts = typeof en

const allTexts: readonly Texts[] = [
  en,
  {
    lang: 'hy',
    title: 'Վճարում',
    go: 'Շարունակել վճարումը',
    failed: 'Վճարման էջը հիմա հնարավոր չէ բացել։',
    again: 'Կրկին փորձել',
    back: 'Վերադառնալ խանութ',
  },
  {
    lang: 'ru',
    title: 'Оплата',
    go: 'Перейти к оплате',
    failed: 'Сейчас не удаётся открыть страницу оплаты.',
    again: 'Попробовать снова',
    back: 'Вернуться в магазин',
  },
]

function textsOf(locale = ''): Texts {
  return allTexts.find(({ lang }) => locale.split('-', 1)[0]?.toLowerCase() === lang) ?? en
}

const script = 'document.forms[0].submit()'
const style =
  ':root{color-scheme:light dark}body{font:1.125rem/1.5 system-ui;margin:20vh 1.25rem;text-align:center}button{font:inherit;padding:.7em 1.8em;border:0;border-radius:10px;background:canvastext;color:canvas}'

async function page({
  status,
  texts: { lang, title },
  targets,
  content,
}: {
  readonly status: number
  readonly texts: Texts
  /** Origins that may receive the form. */
  readonly targets: string
  readonly content: string
}): Promise<Response> {
  const policy = [
    "default-src 'none'",
    `script-src ${await hashOf(script)}`,
    `style-src ${await hashOf(style)}`,
    // The shop's icon.
    "img-src 'self'",
    `form-action ${targets}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style>`
  return new Response(`<!doctype html><html lang="${lang}"><head>${head}</head>${content}</html>`, {
    status,
    headers: {
      'cache-control': 'no-store, private',
      'content-security-policy': policy.join('; '),
      'content-type': 'text/html; charset=utf-8',
      // The hosted page accepts the form from a registered origin only, which `no-referrer` would hide.
      'referrer-policy': 'strict-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    },
  })
}

function formOf(
  action: string,
  fields: Readonly<Record<string, string | undefined>>,
  button: string,
): string {
  const inputs = Object.entries(fields)
    .filter(([, value]) => value)
    .map(([name, value = '']) => `<input type="hidden" name="${name}" value="${escaped(value)}">`)
  const target = action && ` action="${escaped(action)}"`
  return `<form method="post"${target}>${inputs.join('')}<button>${button}</button></form>`
}

async function hashOf(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(bytes)))}'`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
