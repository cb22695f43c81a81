import { expect, test } from 'vitest'
import { hasSecret, redact } from '../../src/redact.ts'

const random = 'Zq7'.repeat(12)
const percent = (character: string): string => `%${character.charCodeAt(0).toString(16)}`
const encodings: ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replace(/[ps_]/, percent),
  (text) => text.replace(/[ist]/g, percent),
  ...[1, 2, 4, 6, 12].map((rounds) => (text: string): string => {
    return text.replace(/./g, percent).replaceAll('%', `%${'25'.repeat(rounds - 1)}`)
  }),
]

test.each(['pi_sk_test_', 'pi_sk_live_', 'PI_SK_LIVE_', 'pi_1_secret_', 'pi_1_Secret_'])(
  'masks %s in a path in every encoding',
  (credential) => {
    for (const encode of encodings) {
      const path = `/payment-intents/${encode(credential + random)}`
      expect([path, hasSecret(path)]).toEqual([path, true])
      const shown = [redact(path)]
      for (let round = 0; round < 15; round++) shown.push(unescape(shown.at(-1) ?? ''))
      expect(shown.join(' ')).not.toContain(random.slice(0, 6))
    }
  },
)
