/**
 * The pages of `POST {basePath}/start`, which leads to the hosted page as a separate page. The secret is in a form,
 * because addresses are stored and logged.
 *
 * @module
 */
import type { Appearance, AppearanceColor } from '@pi-checkout/contract/frame-protocol'
import { type Currency, formatMoney } from '@pi-checkout/contract/money'
import type { Handoff } from '../client/payment-intents.ts'
import type { Asked } from './parse-request.ts'
import type { CheckoutOrder } from './payment-state.ts'
import { type HandoffProblemCode, handoffProblems } from './problem.ts'

/** Where the hosted page is, and what it gets. */
export interface HostedPage {
  readonly checkoutOrigin: string
  readonly returnUrl: string
  readonly locale: string
  readonly appearance: Appearance | undefined
}

/**
 * Returns a page with the order and one button to the hosted page. Its form submits itself where scripts run.
 *
 * @param shop - Its name, and the order to pay.
 */
export async function startPage(
  { id, clientSecret }: Handoff,
  { checkoutOrigin, appearance, ...hosted }: HostedPage,
  shop: { readonly name: string; readonly order: CheckoutOrder | undefined },
): Promise<Response> {
  const { locale, returnUrl } = hosted
  const texts = textsOf(locale)
  const { orderId = '', amount = 0, currency } = shop.order ?? {}
  const money = currency ? moneyText(amount, currency, texts.lang) : texts.title
  const action = `${checkoutOrigin}/checkout/${encodeURIComponent(id)}`
  const fields = { clientSecret, ...hosted, appearance: JSON.stringify(appearance) }
  const head = `<p>${escaped(shop.name)}</p><h1>${escaped(money)}</h1><p>${texts.order} <bdi>${escaped(orderId)}</bdi></p>`
  const withoutScript = `<noscript><p>${texts.script} ${escaped(checkoutOrigin)}</p></noscript>`
  const content = `${head}${withoutScript}${formOf(action, fields, texts.go)}${backLink(returnUrl, texts)}<script>${script}</script>`
  // The hosted page redirects back to the shop if the browser denies its cookie.
  const targets = `${checkoutOrigin} ${new URL(returnUrl).origin}`
  return page({ status: 200, texts, targets, content, appearance })
}

/** Few systems have the dram sign, and this page loads no font. */
function moneyText(amount: number, currency: string, lang: string): string {
  return formatMoney(amount, currency as Currency, lang)
    .replace(/^֏(.+)/, '$1\u00a0֏')
    .replace('֏', 'AMD')
}

/** Returns a page for an error, with a button that sends the request again. */
export async function startProblemPage(
  code: HandoffProblemCode,
  { locale, orderId, returnUrl }: Asked & { readonly returnUrl?: string },
): Promise<Response> {
  const texts = textsOf(locale)
  const { status } = handoffProblems[code]
  const again = status < 500 ? '' : formOf('', { orderId, locale }, texts.again)
  const back = returnUrl ? backLink(returnUrl, texts) : ''
  const content = `<h1>${texts.title}</h1><p role="alert">${texts.failed}</p>${again}${back}`
  return page({ status, texts, targets: "'self'", content })
}

const en = {
  lang: 'en',
  title: 'Payment',
  order: 'Order',
  script: 'Paying needs JavaScript. On the next page, allow it for',
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
    order: 'Պատվեր',
    script: 'Վճարելու համար անհրաժեշտ է JavaScript։ Հաջորդ էջում թույլատրեք այն այս հասցեի համար՝',
    go: 'Շարունակել վճարումը',
    failed: 'Վճարման էջը հիմա հնարավոր չէ բացել։',
    again: 'Կրկին փորձել',
    back: 'Վերադառնալ խանութ',
  },
  {
    lang: 'ru',
    title: 'Оплата',
    order: 'Заказ',
    script: 'Для оплаты нужен JavaScript. На следующей странице разрешите его для',
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
const layout =
  'main{display:grid;gap:.25rem;box-sizing:border-box;width:min(27.5rem,100% - 2rem);margin:max(3rem,10vh) auto 0;padding:2rem;border:1px solid color-mix(in srgb,currentcolor 15%,transparent);border-radius:1rem;text-align:center;font:1rem/1.5 system-ui,sans-serif}*{margin:0}h1{font-size:2.125rem;line-height:1.2}noscript{margin-top:1rem}button{width:100%;min-height:3rem;margin:1.5rem 0 1rem;border:0;font:inherit;font-weight:600}a{color:inherit}'

/** The hosted page's look, so that the way to it does not change the colors. */
function styleOf({ colorScheme, radius = 10, accent, background, text }: Appearance): string {
  const scheme = colorScheme === 'light' || colorScheme === 'dark' ? colorScheme : 'light dark'
  const colors = `background:${cssColor(background, 'canvas')};color:${cssColor(text, 'canvastext')}`
  const button = `background:${cssColor(accent, 'canvastext')};color:${cssColor(accent, 'canvas', textOn)}`
  return `:root{color-scheme:${scheme};${colors}}${layout}button{border-radius:${Number(radius)}px;${button}}`
}

function cssColor(
  color: AppearanceColor | undefined,
  usual: string,
  change = (hex: string): string => hex,
): string {
  const { light, dark } = typeof color === 'object' ? color : { light: color, dark: color }
  const isColor = [light, dark].every((hex) => /^#(?:[\da-f]{3}|[\da-f]{6})$/i.test(hex ?? ''))
  return isColor ? `light-dark(${change(String(light))},${change(String(dark))})` : usual
}

/** Black or white, whichever can be read on a color. */
function textOn(hex: string): string {
  const digits = hex.length === 4 ? hex.replace(/[^#]/g, '$&$&') : hex
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    Number.parseInt(digits.slice(at, at + 2), 16),
  )
  return red * 0.299 + green * 0.587 + blue * 0.114 > 140 ? '#000' : '#fff'
}

async function page({
  status,
  texts: { lang, title },
  targets,
  content,
  appearance = {},
}: {
  readonly status: number
  readonly texts: Texts
  /** Origins that may receive the form. */
  readonly targets: string
  readonly content: string
  readonly appearance?: Appearance | undefined
}): Promise<Response> {
  const style = styleOf(appearance)
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
  return new Response(
    `<!doctype html><html lang="${lang}"><head>${head}</head><body><main>${content}</main></body></html>`,
    {
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
    },
  )
}

function backLink(returnUrl: string, { back }: Texts): string {
  return `<p><a href="${escaped(returnUrl)}">${back}</a></p>`
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
