import { seededRandom } from '@pi-checkout/test-support/seeded-random'
import type { Page } from '@playwright/test'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Pair } from '../support/checkout.ts'
import {
  type BrowserStack,
  expectResult,
  openShop,
  type ShopPage,
  startBrowserStack,
} from './browser.ts'
import {
  type Call,
  type Fault,
  type FaultyProxy,
  faults,
  startFaultyProxy,
} from './faulty-proxy.ts'

// A browser has no deadline on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

const seed = Number(process.env.PI_FAULTS_SEED ?? Math.floor(Math.random() * 2 ** 31))
/** How many times as fast the hosted page's timers run: its deadlines are 10 and 30 seconds. */
const speed = 10

let proxy: FaultyProxy
let stack: BrowserStack
/** By intent, what happens to its next calls. */
const plans = new Map<string, Map<string, Fault[]>>()

beforeAll(async () => {
  proxy = await startFaultyProxy(speed)
  proxy.decide = (path, id) => plans.get(id)?.get(path)?.shift()
  stack = await startBrowserStack('chromium', proxy)
})
afterAll(async () => {
  await stack.close()
  await proxy.close()
})

/** A sentence that the hosted page showed, and how things stood then. */
interface Shown {
  readonly text: string
  /** Pay, if it is there, can be pressed. */
  readonly payable: boolean
  readonly at: number
}

interface Line {
  readonly pair: Pair
  readonly window: ShopPage
  /** Everything that the hosted page showed, in order. */
  readonly shown: readonly Shown[]
  /** Lets the next calls of a path go wrong. */
  injectFaults(path: string, ...next: readonly Fault[]): void
  /** Nothing goes wrong from here. */
  clearFaults(): void
}

/** Opens a shop with injected faults, and records every text that the hosted page shows. */
async function openLine(
  pair: Pair,
  {
    plan: given = {},
    pace = speed,
  }: { readonly plan?: Readonly<Record<string, Fault[]>>; readonly pace?: number } = {},
): Promise<Line> {
  const plan = new Map(Object.entries(given).map(([path, list]) => [path, [...list]]))
  plans.set(pair.id, plan)
  const shown: Shown[] = []
  const window = await openShop(stack, pair, {
    expected: [/Failed to load resource/],
    prepare: async (page) => await watch(page, { shown, pace }),
  })
  return {
    pair,
    window,
    shown,
    injectFaults: (path, ...next) => void plan.set(path, [...next]),
    clearFaults: () => plan.clear(),
  }
}

async function watch(
  page: Page,
  { shown, pace }: { readonly shown: Shown[]; readonly pace: number },
): Promise<void> {
  await page.exposeBinding('note', (_, note: Shown) => void shown.push(note))
  await page.addInitScript(`if (location.hostname === 'pay.localhost') {
    const later = window.setTimeout
    window.setTimeout = (run, time, ...rest) => later(run, time / ${pace}, ...rest)
    let last = ''
    const look = () => {
      const texts = [...document.querySelectorAll('[role=alert], .hint, .title')]
      const text = texts.map((node) => node.textContent.trim()).filter(Boolean).join(' | ')
      const payable = document.querySelector('.pay')?.ariaDisabled !== 'true'
      if (text === last) return
      last = text
      note({ text, payable, at: Date.now() })
    }
    new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true })
  }`)
}

async function statusOf({ pair }: Line): Promise<{ readonly status: string; readonly at: number }> {
  const [row] = await stack.checkout.db.query<{ status: string; updatedAt: Date }>`
    select status, updated_at as "updatedAt" from payment_intents where id = ${pair.id}`
  return { status: row?.status ?? '', at: row?.updatedAt.getTime() ?? 0 }
}

const sentence = (line: Line): string => line.shown.map(({ text }) => text).join('\n')

const payButton = ({ window }: Line) => window.frame.locator('button.pay[type=submit]')

async function isPayable(line: Line): Promise<boolean> {
  const [pay] = await payButton(line).all()
  return (await pay?.getAttribute('aria-disabled', { timeout: 1000 }).catch(() => '')) === 'false'
}

/** Waits until Pay can be pressed. */
async function payable(line: Line): Promise<void> {
  await expect.poll(() => isPayable(line), { timeout: 30_000 }).toBe(true)
}

function groups(number: string): string {
  return number.replace(/(....)(?=.)/g, '$1 ')
}

async function expectKept({ window }: Line, number: string): Promise<void> {
  const { frame } = window
  expect(await frame.getByLabel('Card number').inputValue()).toBe(number)
  expect(await frame.getByLabel('Expiry date').inputValue()).toBe('12 / 40')
  expect(await frame.getByLabel('Security code').inputValue()).toBe('123')
  expect(await frame.getByLabel('Name on card').inputValue()).toBe('Ani Test')
  expect((await window.messages()).filter((message) => message === 'hello')).toHaveLength(1)
}

/** What was sent to a path for this line's intent. */
function sent({ pair }: Line, path: string): readonly Call[] {
  return proxy.calls.filter((call) => call.path === path && call.intent === pair.id)
}

const always = (fault: Fault): Fault[] => Array<Fault>(99).fill(fault)

test('shows an unknown result while every response to a charge fails', async () => {
  const line = await openLine(await stack.checkout.createIntent(), {
    plan: { confirm: always('bad-gateway-after'), intent: always('bad-gateway') },
  })
  await line.window.pay('4242424242424242')
  await expect.poll(async () => (await statusOf(line)).status).toBe('succeeded')
  await expect.poll(() => sentence(line)).toContain('The result of your payment is not known yet')
  await expect.poll(() => sent(line, 'confirm').length).toBeGreaterThan(3)
  const reads = sent(line, 'intent').length
  await expect.poll(() => sent(line, 'intent').length).toBeGreaterThan(reads + 1)
  expect(await payButton(line).getAttribute('aria-disabled')).toBe('true')
  expect(sentence(line)).not.toMatch(/charged|No payment has been made/)
  expect(new Set(sent(line, 'confirm').map(({ body }) => body)).size).toBe(1)
  line.clearFaults()
  await expectResult(line.window, 'paid')
  await line.window.close()
})

for (const fault of ['silence', 'silence-after'] as const) {
  test(`retries a confirmation with the same attemptId after ${fault}`, async () => {
    const line = await openLine(await stack.checkout.createIntent(), {
      plan: { confirm: [fault], intent: always('silence') },
    })
    await line.window.pay('4242424242424242')
    await expectResult(line.window, 'paid')
    expect(new Set(sent(line, 'confirm').map(({ body }) => body)).size).toBe(1)
    expect(sent(line, 'confirm').length).toBeGreaterThan(1)
    await line.window.close()
  })
}

for (const [event, path] of [
  [`window.dispatchEvent(new Event('online'))`, 'confirm'],
  [`document.dispatchEvent(new Event('visibilitychange'))`, 'intent'],
  [`window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`, 'intent'],
] as const) {
  test(`retries a silent ${path} immediately after ${event.match(/'(\w+)'/)?.[1]}`, async () => {
    const line = await openLine(await stack.checkout.createIntent(), { pace: 0.01 })
    line.injectFaults('confirm', 'silence')
    line.injectFaults('intent', ...always('silence'))
    await line.window.pay('4242424242424242')
    await expect.poll(() => sent(line, path).at(-1)?.fault).toBe('silence')
    const before = sent(line, path).length
    await line.window.frame.locator('body').evaluate(event)
    await expect.poll(() => sent(line, path).length).toBe(before + 1)
    await line.window.close()
  })
}

test('offers Pay again when a confirmation cannot be sent', async () => {
  const line = await openLine(await stack.checkout.createIntent())
  line.injectFaults('confirm', ...always('cut'))
  await line.window.pay('4242424242424242')
  await line.window.frame.getByRole('alert').getByText('Press Pay').waitFor({ timeout: 30_000 })
  await payable(line)
  await expectKept(line, '4242 4242 4242 4242')
  expect((await line.window.frame.getByRole('alert').textContent()) ?? '').not.toContain('Trying')
  line.clearFaults()
  await payButton(line).click()
  await expectResult(line.window, 'paid')
  await line.window.close()
})

test('reports a challenge that cannot be opened and retries on request', async () => {
  const line = await openLine(await stack.checkout.createIntent())
  line.injectFaults('challenge/open', ...always('bad-gateway'))
  await line.window.pay('4000000000003220')
  const again = line.window.frame.getByRole('button', { name: 'Try again' })
  await again.waitFor({ timeout: 30_000 })
  expect(sentence(line)).toContain('Your bank’s page could not be opened.')
  line.clearFaults()
  await again.click()
  await line.window.bank.getByLabel('Code').fill('1234')
  await line.window.bank.getByRole('button', { name: 'Confirm' }).click()
  await expectResult(line.window, 'paid')
  await line.window.close()
})

test('reports a redirect that cannot be opened and retries on request', async () => {
  const line = await openLine(await stack.checkout.createIntent())
  const { frame, page } = line.window
  line.injectFaults('challenge/open', ...always('silence'))
  await line.window.pay('4000002760003184')
  await frame
    .getByRole('alert')
    .getByText('Your bank’s page could not be opened.')
    .waitFor({ timeout: 30_000 })
  line.clearFaults()
  await frame.getByRole('button', { name: 'Continue to your bank' }).click()
  await page.waitForURL(`${stack.checkout.challengeUrl}/bank`)
  await line.window.close()
})

for (const fault of ['forbidden', 'half', 'silence'] as const) {
  test(`keeps the typed card and the document while reads fail with ${fault}`, async () => {
    const line = await openLine(await stack.checkout.createIntent())
    line.injectFaults('intent', ...always(fault))
    await line.window.fill('4242424242424242')
    const { frame } = line.window
    // What waits began before the fault.
    await frame.locator('body').evaluate(`window.dispatchEvent(new Event('online'))`)
    await frame.getByRole('alert').getByText('No connection').waitFor({ timeout: 30_000 })
    await expect.poll(() => sent(line, 'intent').length, { timeout: 30_000 }).toBeGreaterThan(4)
    await expectKept(line, '4242 4242 4242 4242')
    line.clearFaults()
    await frame.getByRole('alert').getByText('No connection').waitFor({ state: 'detached' })
    await payButton(line).click()
    await expectResult(line.window, 'paid')
    await line.window.close()
  })
}

const cards = ['4242424242424242', '4000000000003220', '4000000000000002'] as const

/** In one of the walks each path meets each fault, a random number of times in a row. */
const walks = faults.map((_, at) => {
  const random = seededRandom(seed + at)
  const times = (list: readonly number[]): number => list[Math.floor(random() * list.length)] ?? 1
  const run = (shift: number, counts: readonly number[]): Fault[] =>
    Array<Fault>(times(counts)).fill(faults[(at + shift) % faults.length] ?? 'cut')
  return {
    card: cards[at % cards.length] ?? cards[0],
    ends: random() < 0.3 ? ('cancel' as const) : ('pay' as const),
    session: run(2, [1, 2]),
    intent: run(4, [1, 3, 8]),
    confirm: run(0, [1, 2, 4, 6]),
    'challenge/open': run(6, [1, 2, 5]),
    'challenge/cancel': run(1, [1, 5]),
    cancel: run(3, [1, 5]),
  }
})

test(`charges once and shows only true statements under faults (seed ${seed})`, async () => {
  const queue = walks.map((walk, at) => ({ walk, at }))
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      await walkThrough(next.walk).catch((cause: unknown) => {
        throw new Error(`walk ${next?.at}: ${JSON.stringify(next?.walk)}`, { cause })
      })
    }
  }
  await Promise.all([worker(), worker(), worker()])
})

async function walkThrough(walk: (typeof walks)[number]): Promise<void> {
  const { card, ends, ...plan } = walk
  const line = await openLine(await stack.checkout.createIntent(), { plan: { ...plan } })
  const { frame, bank } = line.window
  let number: string = card
  let presses = 0
  let isFilled = true
  const result = frame.locator('[data-testid="result"]')
  const press = (name: string) => frame.getByRole('button', { name })
  await line.window.fill(number)
  const until = performance.now() + 150_000
  for (;;) {
    if (performance.now() > until) throw new Error(`never ended: ${sentence(line)}`)
    if (await result.isVisible()) break
    if (await isPayable(line)) {
      // Another card after a decline, as a buyer would.
      const declined = /declined/.test(line.shown.at(-1)?.text ?? '')
      if (isFilled) await expectKept(line, groups(number))
      if (declined && number !== cards[0]) number = cards[0]
      await line.window.fill(number)
      isFilled = true
      if (presses > 1 && ends === 'cancel') {
        await press('Cancel payment').click()
      } else {
        presses++
        await payButton(line).click()
      }
    } else if (await bank.getByLabel('Code').isVisible()) {
      // The form behind a challenge is a new one.
      isFilled = false
      await bank.getByLabel('Code').fill(presses > 2 ? '1234' : '0000')
      await bank.getByRole('button', { name: 'Confirm' }).click()
    } else {
      for (const name of ['Try again', 'Confirm here']) {
        if (await press(name).isVisible()) await press(name).click()
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await expectTruth(line)
  await line.window.close()
}

/** Checks every shown text against the state of the payment. */
async function expectTruth(line: Line): Promise<void> {
  const { pair, shown } = line
  const { status, at: since } = await statusOf(line)
  const charges = await stack.checkout.db.query`
    select from payment_attempts where intent_id = ${pair.id} and state = 'succeeded'`
  expect(charges.length).toBe(status === 'succeeded' ? 1 : 0)
  const [ending] = await line.window.frame
    .locator('[data-testid="result"]')
    .evaluateAll((nodes) => nodes.map((node) => node.getAttribute('data-state')))
  expect(ending).toBe(status === 'succeeded' ? 'paid' : status)
  // A read that is on its way may be this old when it is shown.
  const onTheWay = 12_000 / speed
  for (const { text, payable, at } of shown) {
    if (text.includes('You paid')) expect(status).toBe('succeeded')
    if (text.includes('charged')) expect(['canceled', 'failed']).toContain(status)
    if (/No payment has been made|declined/.test(text) && status === 'succeeded') {
      expect(at, text).toBeLessThan(since + onTheWay)
    }
    if (text.includes('not known yet')) expect(payable, text).toBe(false)
    if (text.includes('press Pay')) expect(payable, text).toBe(true)
    expect(text).not.toMatch(/another window/)
  }
}
