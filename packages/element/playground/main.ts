/** Shows `<pi-checkout>` in every state and error, on a page that is not the checkout's own origin. @module */
import '../src/define.ts'
import { defineCheckout } from '../src/index.ts'
import { type Scenario, type ScenarioName, scenarios } from './scenarios.ts'

// The checkout's host is 127.0.0.1. This page needs another origin.
const checkout = `http://127.0.0.1:${location.port}`
// Browsers block this port.
const unreachable = 'http://127.0.0.1:9/'

// The tokens of `appearance` that have an input.
const tokens = ['accent', 'background', 'text', 'font', 'density']

/** What can be selected besides the default. */
const choices = {
  locale: ['en', 'hy', 'ru', 'xx'],
  scheme: ['light', 'dark'],
  font: ['humanist', 'geometric', 'rounded', 'serif'],
  density: ['compact', 'spacious'],
}

const pay = find<HTMLElementTagNameMap['pi-checkout']>('#pay')
const name = selected(new URLSearchParams(location.search).get('show'))
const scenario: Scenario = scenarios[name]

if (location.hostname === '127.0.0.1') location.hostname = 'localhost'
else start()

function start(): void {
  listScenarios()
  logEvents()
  connectSettings()
  breakPage()
  redirectFrame()
  if (scenario.pageError !== 'unconfigured') defineCheckout({ checkoutOrigin: checkout })
  if (name === 'real') showHandoffForm()
  else if (scenario.pageError === 'paid') pay.fetchHandoff = rejectHandoff
  else mount(scenario.pageError === 'id' ? '..' : 'pi_playground', 'pi_playground_secret_none')
}

function mount(id: string, clientSecret: string): void {
  pay.handoff = { id, clientSecret }
}

async function rejectHandoff(): Promise<never> {
  throw new Error('The order is paid')
}

function showHandoffForm(): void {
  const form = find<HTMLFormElement>('#handoff')
  form.hidden = false
  find('#origin').textContent = location.origin
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    mount(textOf(form, 'id').trim(), textOf(form, 'secret').trim())
    form.reset()
  })
}

function listScenarios(): void {
  const select = find<HTMLSelectElement>('#show select')
  for (const [value, { title }] of Object.entries(scenarios)) {
    select.append(new Option(title, value, value === name, value === name))
  }
  select.addEventListener('change', () => select.form?.requestSubmit())
}

function logEvents(): void {
  const log = find('#log')
  const types = ['statechange', 'ready', 'leave', 'finish', 'cancel', 'error']
  for (const type of types) {
    pay.addEventListener(`pi-${type}`, (event) => {
      const { isTrusted: _, ...fields } = event as Event & Record<string, unknown>
      const error = pay.error?.code ?? ''
      const line = document.createElement('li')
      const details =
        event.type === 'pi-error' ? { error, retryable: pay.error?.retryable } : fields
      line.textContent = `${event.type} ${JSON.stringify(details)}`
      log.prepend(line)
      showState()
    })
  }
  showState()
}

function showState(): void {
  find('#state').textContent = pay.state
  find('#error').textContent = pay.error?.code ?? 'none'
}

function connectSettings(): void {
  const theme = find<HTMLFormElement>('#theme')
  const stage = find('#stage')
  for (const [field, values] of Object.entries(choices)) {
    find(`[name=${field}]`).append(...values.map((value) => new Option(value)))
  }
  const apply = (): void => {
    pay.label = textOf(theme, 'label') || null
    pay.locale = textOf(theme, 'locale') || null
    const chosen = tokens.map((token) => [token, textOf(theme, token) || undefined])
    pay.appearance = Object.fromEntries(chosen)
    pay.style.colorScheme = textOf(theme, 'scheme')
    pay.style.setProperty('--pi-checkout-min-block-size', `${textOf(theme, 'min')}px`)
    pay.style.setProperty('--pi-checkout-max-block-size', `${textOf(theme, 'max')}px`)
    stage.style.setProperty('--width', `${textOf(theme, 'width')}px`)
    stage.style.setProperty('--radius', `${textOf(theme, 'radius')}px`)
  }
  theme.addEventListener('input', apply)
  apply()
  find('#reload').addEventListener('click', () => pay.reload())
  find('#focus').addEventListener('click', () => pay.focus())
  find('#remove').addEventListener('click', () => {
    pay.remove()
    setTimeout(() => stage.append(pay), 500)
  })
}

/** Makes the page cause the error of the scenario. */
function breakPage(): void {
  switch (scenario.pageError) {
    case 'insecure':
      Object.defineProperty(window, 'isSecureContext', { value: false })
      break
    case 'isolated':
      Object.defineProperty(window, 'crossOriginIsolated', { value: true })
      Reflect.deleteProperty(HTMLIFrameElement.prototype, 'credentialless')
      break
    case 'offline':
      Object.defineProperty(navigator, 'onLine', { value: false })
      break
    case 'policy': {
      const policy = document.createElement('meta')
      policy.httpEquiv = 'content-security-policy'
      policy.content = "frame-src 'none'"
      document.head.append(policy)
    }
  }
}

/** Loads the fake, or an unreachable address, instead of the hosted page. */
function redirectFrame(): void {
  const { fake, unreachableFrom } = scenario
  if (!fake && !unreachableFrom) return
  const folder = new URL('.', location.href).pathname
  const redirect = (): void => {
    const frame = pay.shadowRoot?.querySelector('iframe')
    if (!frame || frame.dataset.redirected) return
    frame.dataset.redirected = 'yes'
    frame.src = fake ? `${checkout}${folder}fake-${name}.html` : unreachable
    if (fake && unreachableFrom) setTimeout(() => Object.assign(frame, { src: unreachable }), 2000)
  }
  void pay.updateComplete.then(() => {
    if (!pay.shadowRoot) return
    new MutationObserver(redirect).observe(pay.shadowRoot, { childList: true, subtree: true })
    redirect()
  })
}

function selected(value: string | null): ScenarioName {
  return value && Object.hasOwn(scenarios, value) ? (value as ScenarioName) : 'ready'
}

function textOf(form: HTMLFormElement, field: string): string {
  return String(new FormData(form).get(field) ?? '')
}

function find<T extends HTMLElement = HTMLElement>(selector: string): T {
  const found = document.querySelector<T>(selector)
  if (!found) throw new Error(`${selector}: not found in the playground`)
  return found
}
