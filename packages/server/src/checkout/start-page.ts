/** The pages of `POST {basePath}/start`, which leads to the hosted page as a separate page. @module */
import type { Handoff } from '../client/payment-intents.ts'
import { type HandoffProblemCode, handoffProblems } from './problem.ts'

type Fields = Readonly<Record<string, string | undefined>>

/** Returns a page with a form, which submits itself where scripts run: a secret in an address would be stored. */
export function startPage(
  { id, clientSecret }: Handoff,
  { checkoutOrigin, ...hosted }: Fields & { checkoutOrigin: string; returnUrl: string },
): Response {
  const [lang, title] = textsOf(hosted.locale)
  const action = `${checkoutOrigin}/checkout/${encodeURIComponent(id)}`
  const form = formOf(action, { clientSecret, ...hosted }, title)
  const content = `${form}<script>document.forms[0].submit()</script>`
  // The hosted page redirects back to the shop if the browser denies its cookie.
  const targets = `${checkoutOrigin} ${new URL(hosted.returnUrl).origin}`
  return page(200, { lang, title, targets, content })
}

/** Returns a page for an error, with a way back, and a button that sends the request again if that can help. */
export function startProblemPage(code: HandoffProblemCode, asked: Fields): Response {
  const { returnUrl = '/', ...fields } = asked
  const { status } = handoffProblems[code]
  const [lang, , title, again, back] = textsOf(asked.locale)
  const form = status < 500 ? '' : formOf('', fields, again)
  const link = `<p><a href="${escaped(returnUrl)}">${back}</a></p>`
  const content = `<p role="alert">${title}</p>${form}${link}`
  return page(status, { lang, title, targets: "'self'", content })
}

const texts = [
  ['en', 'Continue to payment', 'The payment page cannot be opened now.', 'Try again', 'Back'],
  ['hy', 'Շարունակել վճարումը', 'Վճարման էջը հիմա հնարավոր չէ բացել։', 'Կրկին փորձել', 'Հետ'],
  ['ru', 'Перейти к оплате', 'Сейчас не удаётся открыть страницу оплаты.', 'Повторить', 'Назад'],
] as const

function textsOf(locale = '') {
  return texts.find(([lang]) => locale.split('-', 1)[0]?.toLowerCase() === lang) ?? texts[0]
}

// The hash of the one script.
const scripts = "'sha256-ePniVEkSivX/c7XWBGafqh8tSpiRrKiqYeqbG7N1TOE='"

function page(status: number, { lang, title, targets, content }: Fields): Response {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="referrer" content="strict-origin"><title>${title}</title>`
  const headers = {
    'cache-control': 'no-store, private',
    'content-security-policy': `default-src 'none'; script-src ${scripts}; img-src 'self'; form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`,
    'content-type': 'text/html; charset=utf-8',
    // The hosted page accepts the form from a registered origin only. A proxy may add `no-referrer`, so see `head`.
    'referrer-policy': 'strict-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  }
  const html = `<!doctype html><html lang="${lang}"><head>${head}</head><body>${content}</body></html>`
  return new Response(html, { status, headers })
}

function formOf(action: string, fields: Fields, button: string): string {
  const inputs = Object.entries(fields).map(([name, value]) =>
    value ? `<input type="hidden" name="${name}" value="${escaped(value)}">` : '',
  )
  const target = action && ` action="${escaped(action)}"`
  return `<form method="post"${target}>${inputs.join('')}<button>${button}</button></form>`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
