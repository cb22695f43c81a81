import { seed } from '@pi-checkout/test-support/generated'
import { seededRandom } from '@pi-checkout/test-support/seeded-random'
import type { Page } from '@playwright/test'
import { expect, test, vi } from 'vitest'
import { expectResult, openShop, type ShopPage, startBrowserStack, valuesOf } from './browser.ts'
import { type Call, type Fault, failRequests, faults } from './faulty-network.ts'

/** How many times as fast the hosted page's timers run: its deadlines are 10 and 30 seconds. */
const speed = 10

const stack = await startBrowserStack()
vi.setConfig({ testTimeout: 240_000 })

/** A text that the hosted page showed. */
interface Shown {
  readonly text: string
  /** Whether Pay, if it was there, could be pressed. */
  readonly payable: boolean
  readonly at: number
}

/** A shop's page behind the faulty network. */
interface FaultyPage extends ShopPage {
  /** Everything that the hosted page showed, in order. */
  readonly shown: readonly Shown[]
  readonly calls: readonly Call[]
  /** The next calls of a path fail. */
  injectFaults(path: string, ...next: readonly Fault[]): void
  /** No further call fails. */
  clearFaults(): void
}

/** Opens a shop with injected faults, and records every text that the hosted page shows. */
async function openFaulty({
  plan: given = {},
  pace = speed,
}: {
  readonly plan?: Readonly<Record<string, Fault[]>>
  readonly pace?: number
} = {}): Promise<FaultyPage> {
  const plan = new Map(Object.entries(given).map(([path, list]) => [path, [...list]]))
  const shown: Shown[] = []
  let calls: readonly Call[] = []
  const window = await openShop(stack, {
    expected: [/Failed to load resource/],
    prepare: async (page) => {
      await recordTexts(page, { shown, pace })
      const target = stack.checkout.nodeUrl
      calls = await failRequests(page, { target, plan, second: 1000 / speed })
    },
  })
  return {
    ...window,
    shown,
    calls,
    injectFaults: (path, ...next) => void plan.set(path, [...next]),
    clearFaults: () => plan.clear(),
  }
}

async function recordTexts(
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

async function statusOf({
  pair,
}: FaultyPage): Promise<{ readonly status: string; readonly at: number }> {
  const [row] = await stack.checkout.db.query<{ status: string; updatedAt: Date }>`
    select status, updated_at as "updatedAt" from payment_intents where id = ${pair.id}`
  return { status: row?.status ?? '', at: row?.updatedAt.getTime() ?? 0 }
}

async function chargesOf({ pair }: FaultyPage): Promise<number> {
  const charges = await stack.checkout.db.query`
    select from payment_attempts where intent_id = ${pair.id} and state = 'succeeded'`
  return charges.length
}

const textsOf = (window: FaultyPage): string => window.shown.map(({ text }) => text).join('\n')

const payButton = (window: FaultyPage) => window.frame.locator('button.pay[type=submit]')

async function isPayable(window: FaultyPage): Promise<boolean> {
  const [pay] = await payButton(window).all()
  return (await pay?.getAttribute('aria-disabled', { timeout: 1000 }).catch(() => '')) === 'false'
}

async function expectKept(window: FaultyPage, number: string): Promise<void> {
  expect(await valuesOf(window.frame)).toEqual([number, '12 / 40', '123', 'Ani Test'])
  expect((await window.messages()).filter((message) => message === 'hello')).toHaveLength(1)
}

/** What was sent to a path. */
function sent({ calls }: FaultyPage, path: string): readonly Call[] {
  return calls.filter((call) => call.path === path)
}

const always = (fault: Fault): Fault[] => Array<Fault>(99).fill(fault)

test('shows an unknown result while every response to a charge fails', async () => {
  const window = await openFaulty({
    plan: { confirm: always('bad-gateway-after'), intent: always('bad-gateway') },
  })
  await window.pay('4242424242424242')
  await expect.poll(async () => (await statusOf(window)).status).toBe('succeeded')
  await expect.poll(() => textsOf(window)).toContain('The result of your payment is not known yet')
  await expect.poll(() => sent(window, 'confirm').length).toBeGreaterThan(3)
  const reads = sent(window, 'intent').length
  await expect.poll(() => sent(window, 'intent').length).toBeGreaterThan(reads + 1)
  expect(await payButton(window).getAttribute('aria-disabled')).toBe('true')
  expect(textsOf(window)).not.toMatch(/charged|No payment has been made/)
  expect(new Set(sent(window, 'confirm').map(({ body }) => body)).size).toBe(1)
  window.clearFaults()
  await expectResult(window, 'paid')
})

for (const [event, path] of [
  [`window.dispatchEvent(new Event('online'))`, 'confirm'],
  [`document.dispatchEvent(new Event('visibilitychange'))`, 'intent'],
  [`window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`, 'intent'],
] as const) {
  test(`retries a silent ${path} immediately after ${event.match(/'(\w+)'/)?.[1]}`, async () => {
    const window = await openFaulty({ pace: 0.01 })
    window.injectFaults('confirm', 'silence')
    window.injectFaults('intent', ...always('silence'))
    await window.pay('4242424242424242')
    await expect.poll(() => sent(window, path).at(-1)?.fault).toBe('silence')
    const before = sent(window, path).length
    await window.frame.locator('body').evaluate(event)
    await expect.poll(() => sent(window, path).length).toBe(before + 1)
  })
}

test('reports a challenge that cannot be opened and retries on request', async () => {
  const window = await openFaulty()
  window.injectFaults('challenge/open', ...always('bad-gateway'))
  await window.pay('4000000000003220')
  const again = window.frame.getByRole('button', { name: 'Try again' })
  await again.waitFor({ timeout: 30_000 })
  expect(textsOf(window)).toContain('Your bank’s page could not be opened.')
  window.clearFaults()
  await again.click()
  await window.submitCode('1234')
  await expectResult(window, 'paid')
})

test('reports a redirect that cannot be opened and retries on request', async () => {
  const window = await openFaulty()
  const { frame, page } = window
  window.injectFaults('challenge/open', ...always('silence'))
  await window.pay('4000002760003184')
  await window.alert('Your bank’s page could not be opened.')
  window.clearFaults()
  await frame.getByRole('button', { name: 'Continue to your bank' }).click()
  await page.waitForURL(`${stack.checkout.challengeUrl}/bank`)
})

for (const fault of ['forbidden', 'half', 'silence'] as const) {
  test(`keeps the typed card and the document while reads fail with ${fault}`, async () => {
    const window = await openFaulty()
    window.injectFaults('intent', ...always(fault))
    await window.fill('4242424242424242')
    const { frame } = window
    // Ends the long poll that started before the faults.
    await frame.locator('body').evaluate(`window.dispatchEvent(new Event('online'))`)
    await window.alert('No connection')
    await expect.poll(() => sent(window, 'intent').length, { timeout: 30_000 }).toBeGreaterThan(4)
    await expectKept(window, '4242 4242 4242 4242')
    window.clearFaults()
    await frame.getByRole('alert').getByText('No connection').waitFor({ state: 'detached' })
    await payButton(window).click()
    await expectResult(window, 'paid')
  })
}

const cards = ['4242424242424242', '4000000000003220', '4000000000000002'] as const

/** In one of the scenarios each path gets each fault, a random number of times in a row. */
const scenarios = faults.map((_, index) => {
  const random = seededRandom(seed + index)
  const times = (list: readonly number[]): number => list[Math.floor(random() * list.length)] ?? 1
  const run = (shift: number, counts: readonly number[]): Fault[] =>
    Array<Fault>(times(counts)).fill(faults[(index + shift) % faults.length] ?? 'cut')
  return {
    card: cards[index % cards.length] ?? cards[0],
    ends: random() < 0.3 ? ('cancel' as const) : ('pay' as const),
    session: run(2, [1, 2]),
    intent: run(4, [1, 3, 8]),
    confirm: run(0, [1, 2, 4, 6]),
    'challenge/open': run(6, [1, 2, 5]),
    'challenge/cancel': run(1, [1, 5]),
    cancel: run(3, [1, 5]),
  }
})

test(`charges once and shows only true statements under faults (PI_SEED=${seed})`, async () => {
  const queue = [...scenarios]
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const name = `scenario ${JSON.stringify(next)}`
      await play(next).catch((cause: unknown) => {
        throw new Error(name, { cause })
      })
    }
  }
  await Promise.all([worker(), worker(), worker()])
})

async function play(scenario: (typeof scenarios)[number]): Promise<void> {
  const { card, ends, ...plan } = scenario
  const window = await openFaulty({ plan })
  const { frame, bank } = window
  let number: string = card
  let presses = 0
  const result = frame.locator('[data-testid="result"]')
  const button = (name: string) => frame.getByRole('button', { name })
  await window.fill(number)
  const until = performance.now() + 150_000
  for (;;) {
    if (performance.now() > until) throw new Error(`never ended: ${textsOf(window)}`)
    if (await result.isVisible()) break
    if (await isPayable(window)) {
      // Another card after a decline, as a buyer would.
      const declined = /declined/.test(window.shown.at(-1)?.text ?? '')
      await expectKept(window, number.replace(/(....)(?=.)/g, '$1 '))
      if (declined) number = cards[0]
      await window.fill(number)
      if (presses > 1 && ends === 'cancel') {
        await button('Cancel payment').click()
      } else {
        presses++
        await payButton(window).click()
      }
    } else if (await bank.getByLabel('Code').isVisible()) {
      await window.submitCode(presses > 2 ? '1234' : '0000')
    } else {
      for (const name of ['Try again', 'Confirm here']) {
        if (await button(name).isVisible()) await button(name).click()
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  // Each press is one confirmation, however often it is sent.
  const attempts = new Set(sent(window, 'confirm').map(({ body }) => body))
  expect(attempts.size).toBeLessThanOrEqual(presses)
  await expectTruth(window)
}

/** Checks every shown text against the state of the payment. */
async function expectTruth(window: FaultyPage): Promise<void> {
  const { shown } = window
  const { status, at: since } = await statusOf(window)
  expect(await chargesOf(window)).toBe(status === 'succeeded' ? 1 : 0)
  const [ending] = await window.frame
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
