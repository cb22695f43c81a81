/** Text output of a start, without `--json`. @module */
import type { RunningService } from '../start/start.ts'

/** @param showsToken - Whether the link to the inspector contains its token. */
export function banner(ready: RunningService['ready'], showsToken: boolean): string {
  const link = ready.inspectorUrl
  const inspector = showsToken
    ? link
    : link.replace(/#.*/, ' (its token is printed in a terminal only)')
  return [
    'The Payment Intents service is ready. It accepts test cards only, and no money moves.',
    '',
    `  PI_BASE_URL=${ready.baseUrl}`,
    `  PI_CHECKOUT_ORIGIN=${ready.checkoutOrigin}`,
    `  PI_API_KEY=${ready.apiKey ?? '(not shown; run pi-service keys create for a key)'}`,
    '',
    `  inspector    ${inspector}`,
    '  test cards   4242 4242 4242 4242 succeeds, 4000 0000 0000 0002 is declined,',
    '               4000 0000 0000 3220 asks for a code (1234)',
  ].join('\n')
}
