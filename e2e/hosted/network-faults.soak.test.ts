import { seed } from '@pi-checkout/test-support/generated'
import { control } from '@pi-checkout/test-support/sandbox'
import { seededRandom } from '@pi-checkout/test-support/seeded-random'
import type { Locator, Page } from '@playwright/test'
import { challengePage, fillCard, hostedPage } from '../fixtures/buyer.ts'
import { type Call, type Fault, failRequests, faults } from '../fixtures/faulty-network.ts'
import {
  test as base,
  eventsOf,
  expect,
  expectAlert,
  expectResult,
  payOf,
  valuesOf,
} from '../fixtures/hosted-form.ts'

/** How many times as fast the hosted page's timers run: its deadlines are 10 and 30 seconds. */
const speed = 10

/** A text that the hosted page showed. */
interface Shown {
  readonly text: string
  /** Whether Pay, if it was there, could be pressed. */
  readonly payable: boolean
  readonly at: number
}

/** A form behind the faulty network. */
interface FaultyForm {
  /** Everything that the hosted page showed, in order. */
  readonly shown: readonly Shown[]
  readonly calls: readonly Call[]
  /** The faults of the next calls by path. */
  readonly plan: Map<string, Fault[]>
  /** The status in the store, its time, and how often the card was charged. */
  stored(): Promise<{ readonly status: string; readonly at: number; readonly charges: number }>
}

interface Details {
  readonly intent: { readonly status: string; readonly updatedAt: string }
  readonly confirmations: readonly { readonly providerPaymentId: string | null }[]
}

interface FaultyOptions {
  readonly faults?: Readonly<Record<string, Fault[]>>
  readonly pace?: number
}

/** `openFaulty` opens a form with injected faults, and records every text that it shows. */
const test = base.extend<{ openFaulty: (options?: FaultyOptions) => Promise<FaultyForm> }>({
  openFaulty: async ({ page, openForm, stack, pageErrors }, use) => {
    pageErrors.allow(/Failed to load resource/)
    await use(async ({ faults: planned = {}, pace = speed } = {}) => {
      const plan = new Map(Object.entries(planned))
      const shown: Shown[] = []
      await recordTexts(page, { shown, pace })
      const calls = await failRequests(page, { plan, second: 1000 / speed })
      const { id } = await openForm()
      return {
        shown,
        calls,
        plan,
        stored: async () => {
          const { intent, confirmations } = await control<Details>(stack, `/intents/${id}`)
          const charges = confirmations.filter((each) => each.providerPaymentId !== null).length
          return { status: intent.status, at: Date.parse(intent.updatedAt), charges }
        },
      }
    })
  },
})

async function recordTexts(
  page: Page,
  { shown, pace }: { readonly shown: Shown[]; readonly pace: number },
): Promise<void> {
  await page.exposeBinding('note', (_, note: Shown) => void shown.push(note))
  await page.addInitScript(`if (location.pathname.startsWith('/checkout/')) {
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

const textsOf = ({ shown }: FaultyForm): string => shown.map(({ text }) => text).join('\n')

/** Pay of the card's form: other steps have such a button too. */
const payButton = (page: Page): Locator => hostedPage(page).locator('button.pay[type=submit]')

async function isPayable(page: Page): Promise<boolean> {
  const [pay] = await payButton(page).all()
  return (await pay?.getAttribute('aria-disabled', { timeout: 1000 }).catch(() => '')) === 'false'
}

async function expectKept(page: Page, number: string): Promise<void> {
  expect(await valuesOf(page)).toEqual([number, '12 / 40', '123', 'Ani Test'])
  expect((await eventsOf(page)).filter((event) => event === 'pi-ready')).toHaveLength(1)
}

/** What was sent to a path. */
function sent({ calls }: FaultyForm, path: string): readonly Call[] {
  return calls.filter((call) => call.path === path)
}

async function pay(page: Page, number: string): Promise<void> {
  await fillCard(page, number)
  await payOf(page).click()
}

const always = (fault: Fault): Fault[] => Array<Fault>(99).fill(fault)

for (const [event, path] of [
  [`window.dispatchEvent(new Event('online'))`, 'confirm'],
  [`document.dispatchEvent(new Event('visibilitychange'))`, 'intent'],
  [`window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`, 'intent'],
] as const) {
  test(`retries a silent ${path} immediately after ${event.match(/'(\w+)'/)?.[1]}`, async ({
    page,
    openFaulty,
  }) => {
    const form = await openFaulty({ pace: 0.01 })
    form.plan.set('confirm', ['silence'])
    form.plan.set('intent', always('silence'))
    await pay(page, '4242424242424242')
    await expect.poll(() => sent(form, path).at(-1)?.fault).toBe('silence')
    const before = sent(form, path).length
    await hostedPage(page).locator('body').evaluate(event)
    await expect.poll(() => sent(form, path).length).toBe(before + 1)
  })
}

test('keeps the card, and calls a result unknown, in failures', async ({ page, openFaulty }) => {
  const form = await openFaulty()
  form.plan.set('intent', always('silence'))
  await fillCard(page, '4242424242424242')
  // Ends the long poll that started before the faults.
  const endPoll = (): Promise<unknown> =>
    hostedPage(page).locator('body').evaluate(`window.dispatchEvent(new Event('online'))`)
  await endPoll()
  await expectAlert(page, 'No connection')
  await expect.poll(() => sent(form, 'intent').length, { timeout: 30_000 }).toBeGreaterThan(4)
  await expectKept(page, '4242 4242 4242 4242')
  form.plan.clear()
  await expect(hostedPage(page).getByRole('alert')).not.toContainText('No connection')

  form.plan.set('confirm', always('bad-gateway-after'))
  form.plan.set('intent', always('bad-gateway'))
  await endPoll()
  await expect.poll(() => sent(form, 'intent').at(-1)?.fault).toBe('bad-gateway')
  await payButton(page).click()
  await expect.poll(async () => (await form.stored()).status).toBe('succeeded')
  await expect.poll(() => textsOf(form)).toContain('The result is not known yet')
  await expect.poll(() => sent(form, 'confirm').length).toBeGreaterThan(3)
  const reads = sent(form, 'intent').length
  await expect.poll(() => sent(form, 'intent').length).toBeGreaterThan(reads + 1)
  await expect(payButton(page)).toHaveAttribute('aria-disabled', 'true')
  expect(textsOf(form)).not.toMatch(/charged|You have not paid yet/)
  expect(new Set(sent(form, 'confirm').map(({ body }) => body)).size).toBe(1)
  form.plan.clear()
  await expectResult(page, 'paid')
})

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

for (const [at, { card, ends, ...planned }] of scenarios.entries()) {
  test(`charges once and shows only true statements under the faults ${at + 1} (PI_SEED=${seed})`, async ({
    page,
    openFaulty,
  }) => {
    test.setTimeout(200_000)
    const form = await openFaulty({ faults: planned })
    let number: string = card
    let presses = 0
    const result = hostedPage(page).getByTestId('result')
    const code = challengePage(page).getByLabel('Code')
    const button = (name: string) => hostedPage(page).getByRole('button', { name })
    await fillCard(page, number)
    while (!(await result.isVisible())) {
      if (await isPayable(page)) {
        // Another card after a decline, as a buyer would.
        const declined = /declined/.test(form.shown.at(-1)?.text ?? '')
        await expectKept(page, number.replace(/(....)(?=.)/g, '$1 '))
        if (declined) number = cards[0]
        await fillCard(page, number)
        if (presses > 1 && ends === 'cancel') {
          await press(button('Cancel payment'))
        } else {
          presses++
          await press(payButton(page))
        }
      } else if (await code.isVisible()) {
        await code.fill(presses > 2 ? '1234' : '0000', attempt).catch(() => undefined)
        await press(challengePage(page).getByRole('button', { name: 'Confirm' }))
      } else if (await button('Continue').isVisible()) {
        await press(button('Continue'))
      }
      await page.waitForTimeout(50)
    }
    // Each press is one confirmation, however often it is sent.
    const attempts = new Set(sent(form, 'confirm').map(({ body }) => body))
    expect(attempts.size).toBeLessThanOrEqual(presses)
    await expectTruth(page, form)
  })
}

const attempt = { timeout: 2000 }

/** Presses a button, which may disappear at that moment. */
async function press(button: Locator): Promise<void> {
  await button.click(attempt).catch(() => undefined)
}

/** Checks every shown text against the state of the payment. */
async function expectTruth(page: Page, form: FaultyForm): Promise<void> {
  const { status, at: since, charges } = await form.stored()
  expect(charges).toBe(status === 'succeeded' ? 1 : 0)
  await expectResult(page, status === 'succeeded' ? 'paid' : status)
  // A read that is on its way may be this old when it is shown.
  const onTheWay = 12_000 / speed
  for (const { text, payable, at } of form.shown) {
    if (text.includes('You paid')) expect(status).toBe('succeeded')
    if (text.includes('charged')) expect(['canceled', 'failed']).toContain(status)
    if (/You have not paid yet|declined/.test(text) && status === 'succeeded') {
      expect(at, text).toBeLessThan(since + onTheWay)
    }
    if (text.includes('not known yet')) expect(payable, text).toBe(false)
    if (text.includes('press Pay')) expect(payable, text).toBe(true)
  }
}
