import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { exitCodes } from '../src/commands/exit-codes.ts'
import { errorCodes } from '../src/index.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const blocks = [...readme.matchAll(/```js\n(.+?)```/gs)].map(([, code = '']) => code)

/** What the examples have around them: a service, and a shop with one order. */
const surroundings = `
  import { fakeService as nearby } from '@pi-checkout/server/testing'
  import { PaymentIntents as Client } from '@pi-checkout/server'
  const running = nearby()
  globalThis.fetch = running.fetch
  process.env.PI_API_KEY = running.options.apiKey
  process.env.PI_BASE_URL = running.options.baseUrl
  const orders = {
    open: async function* () {
      const row = { amount: 1999, currency: 'USD', orderId: 'A-7' }
      const { intent } = await new Client().create(row)
      running.settle('A-7', 'succeeded')
      yield { ...row, intentId: intent.id }
    },
    markPaid: () => {},
  }
`

for (const code of blocks) {
  const [title = ''] = /(?:await|const checkout).+/.exec(code) ?? []
  test(`the README's example runs and prints what its comments say: ${title.trim()}`, {
    timeout: 60_000,
  }, () => {
    const options = ['--conditions=source', '--import=tsx', '--input-type=module']
    const cwd = fileURLToPath(new URL('..', import.meta.url))
    const run = spawnSync(process.execPath, [...options, '--eval', surroundings + code], {
      cwd,
      encoding: 'utf8',
    })
    const promised = [...code.matchAll(/console\.log.*\/\/ (.+)$/gm)].map(([, said]) => said)
    expect(run.stderr).toBe('')
    expect(run.stdout.split('\n').filter(Boolean)).toEqual(promised)
  })
}

test("the README's table of errors is the source's: code, meaning, what to do", () => {
  const [, table = ''] = readme.split('| code | meaning | what to do |\n|---|---|---|\n')
  const rows = [
    ...table
      .split('\n\n', 1)
      .join('')
      .matchAll(/^\| `(\w+)` \| (.+) \| (.+) \|$/gm),
  ]
  expect(rows.map(([, code, meaning, advice]) => ({ code, meaning, advice }))).toEqual(
    Object.entries(errorCodes).map(([code, words]) => ({ code, ...words })),
  )
})

test("the README's list of exit codes is the source's", () => {
  const said = Object.values(exitCodes).map(({ code, meaning }) => `**${code}** ${meaning}`)
  expect(readme).toContain(`Exit codes: ${said.join(' · ')}.`)
})
