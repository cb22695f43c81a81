// `npm run mutation`: makes one change at a time in the sources, and lists those that no test finds.
// Arguments are files or folders; `--changed` selects the files that changed since origin/main.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { Stryker } from '@stryker-mutator/core'
import { root } from '../files.mjs'

const minimum = 90

const server = 'packages/server'
const service = 'packages/service'
const element = 'packages/element'

/**
 * Sources, and the tests that must find their changes. A file belongs to the first group that names it. These tests import
 * them: Stryker changes nothing in another process. Few tests for each source keep a run short.
 */
const groups = [
  { sources: ['packages/contract/src'], tests: ['packages/contract/test/**/*.test.ts'] },
  ...['cli', 'frameworks', 'handoff', 'testing'].map((folder) => ({
    sources: [`${server}/src/${folder}`],
    tests: [`${server}/test/${folder}/*.test.ts`],
  })),
  // The texts of the others would run every test of the client.
  ...[
    [['configuration', 'create-params', 'new-order-id'], ['client/configuration']],
    [['deprecate', 'errors'], ['client/errors']],
    [['error-codes'], ['readme', 'client/read-response']],
    [['idempotency-key', 'sha256'], ['client/idempotency-key']],
    [['redact'], ['client/redact']],
  ].map(([names, tests]) => ({
    sources: names.map((name) => `${server}/src/client/${name}.ts`),
    tests: tests.map((name) => `${server}/test/${name}.test.ts`),
  })),
  { sources: [`${server}/src/browser.ts`], tests: [`${server}/test/client/configuration.test.ts`] },
  {
    sources: [`${server}/src/client`],
    tests: [
      `${server}/test/client/{configuration,payment-intents,read-response,transport}.test.ts`,
    ],
  },
  // In jsdom. The tests in browsers run built files.
  {
    sources: ['client', 'credentials.ts', 'errors.ts', 'locale.ts', 'origin.ts'].map(
      (name) => `${element}/src/${name}`,
    ),
    tests: [`${element}/test/{client,credentials,errors,locale,origin}.test.ts`],
  },
  ...[
    [['appearance', 'define-checkout'], ['origin.test.ts']],
    [['burst'], ['burst.test.ts']],
    [['frame-height', 'frame-session'], ['frame-session.test.ts']],
    [['unknown-properties'], ['unknown-properties.test.ts']],
    [
      ['checkout-element', 'events', 'view', 'when-ready'],
      ['{checkout-element,hosted-messages}.test.ts'],
    ],
    [['frameworks/react'], ['react.test.tsx']],
  ].map(([names, tests]) => ({
    sources: names.map((name) => `${element}/src/${name}.ts`),
    tests: tests.map((name) => `${element}/test/${name}`),
  })),
  // Tests without a service take milliseconds.
  ...Object.entries({
    http: ['body', 'json', 'single-header'],
    intents: ['client-secret', 'idempotency', 'lifecycle', 'parse-request', 'serialize'],
    checkout: [
      'checkout-view',
      'csp-reports',
      'long-poll',
      'parse-request',
      'provider-result',
      'return-url',
      'session-token',
      'wait-for-version',
      'wait-groups',
    ],
  }).flatMap(([folder, names]) =>
    names.map((name) => ({
      sources: [`${service}/src/${folder}/${name}.ts`],
      tests: [`${service}/test/${folder}/${name}.test.ts`],
    })),
  ),
  // Tests with an embedded store.
  ...[
    [['intents/find-batch', 'intents/intent-row'], ['intents/intents']],
    [
      ['intents/lifetimes', 'intents/reaper'],
      ['intents/reaper', 'intents/lifecycle', 'checkout/session-token'],
    ],
    [['checkout/intent-snapshot'], ['checkout/intent-snapshot']],
    [['checkout/pages'], ['checkout/pages']],
    [['checkout/confirm'], ['checkout/confirm', 'checkout/routes']],
    [['checkout/api-errors', 'checkout/open-session'], ['checkout/routes']],
    [['checkout/routes'], ['checkout/routes', 'checkout/pages']],
    [['intents/create-batch', 'intents/intents'], ['intents/intents']],
    [['intents/routes'], ['intents/routes']],
  ].map(([names, tests]) => ({
    sources: names.map((name) => `${service}/src/${name}.ts`),
    tests: tests.map((name) => `${service}/test/${name}.test.ts`),
  })),
  {
    sources: [`${service}/src/merchants`],
    tests: [`${service}/test/merchants/{authenticate,merchants}.test.ts`],
  },
]

/** They take long, or run their sources in other processes. */
const excludedTests = ['**/*.soak.test.ts', `${server}/test/frameworks/clients-that-leave.test.ts`]

/** Changes that cannot be seen. A run that does not make exactly one such change fails. */
const equivalent = [
  ...unseen(`${server}/src/cli/doctor.ts`, 'Clocks without a difference agree.', [
    'skew > 0 → skew >= 0',
  ]),
  ...unseen(`${server}/src/cli/get.ts`, 'The first item is not read.', [
    '[] → ["Stryker was here"]',
  ]),
  ...unseen(`${server}/src/cli/page-policy.ts`, 'The first item is not read.', [
    ['const [, scheme]', '[] → ["Stryker was here"]'],
    ['(?:([a-z]', '[] → ["Stryker was here"]'],
  ]),
  ...unseen(`${server}/src/client/errors.ts`, 'Only its presence is read.', [
    '{ value: true } → {}',
    ['defineProperty', 'true → false'],
  ]),
  ...unseen(`${server}/src/client/test-time.ts`, 'The same name is written and read.', [
    `'pi-checkout.test-time' → ""`,
  ]),
  ...unseen(`${server}/src/client/fetch-transport.ts`, 'Faster.', [
    'length !== null && !encoded && Number(length) <= max → false',
    'Number(length) <= max → Number(length) < max',
  ]),
  ...unseen(`${server}/src/client/sha256.ts`, 'Faster.', [
    `'node:crypto' → ""`,
    'nodeCrypto?.hash → false',
  ]),
  ...unseen(`${element}/src/frameworks/react.ts`, 'It never changes.', [
    ['element.current as', '[] → ["Stryker was here"]'],
    '[follow] → []',
  ]),
  ...unseen(`${element}/src/frameworks/react.ts`, 'Another number is enough.', [
    'count + 1 → count - 1',
  ]),
  ...unseen(`${element}/src/frameworks/react.ts`, 'Without a listener, nothing is added.', [
    ['!handler', '!target || !handler → false'],
    ['!handler', '!target || !handler → !target && !handler'],
  ]),
  ...unseen(`${element}/src/when-ready.ts`, 'A settled promise ignores it.', [
    ['signal?.addEventListener', '{ signal: done.signal } → {}'],
    ['pi-statechange', '{ signal: done.signal } → {}'],
    'signal.aborted → false',
    ['removeController', `'abort' → ""`],
    '() => element.removeController(controller) → () => undefined',
  ]),
  ...unseen(`${element}/src/when-ready.ts`, 'It is called by the signal.', [
    'signal?.reason → signal.reason',
  ]),
  ...unseen(`${service}/src/checkout/confirm.ts`, 'The confirmation is read again.', [
    'moved → false',
  ]),
  ...unseen(`${service}/src/checkout/confirm.ts`, 'Only a pending outcome has `after`.', [
    "outcome.result === 'pending' → true",
  ]),
  ...unseen(
    `${service}/src/checkout/confirm.ts`,
    'An intent accepts a result while it is processing, and none before its challenge.',
    [
      ["|| outcome.result === 'pending') return", "outcome.result === 'challenge' → false"],
      ["|| outcome.result === 'pending') return", `'challenge' → ""`],
      ["'rejection' in settled", `'rejection' → ""`],
    ],
  ),
  ...unseen(`${service}/src/checkout/open-session.ts`, 'Neither has a token.', [
    `'' → "Stryker was here!"`,
  ]),
  ...unseen(`${service}/src/checkout/open-session.ts`, 'The first item is not read.', [
    '[] → ["Stryker was here"]',
  ]),
  ...unseen(`${service}/src/checkout/open-session.ts`, 'Both are falsy.', [
    '() => false → () => undefined',
  ]),
  ...unseen(`${service}/src/checkout/pages.ts`, 'Faster.', ['known → false', 'cached → false']),
  ...unseen(`${service}/src/checkout/pages.ts`, 'A built page has a style sheet.', [
    ['const [, rest', `'' → "Stryker was here!"`],
    ['const [sheet', `'' → "Stryker was here!"`],
  ]),
  ...unseen(`${service}/src/checkout/routes.ts`, 'It spreads the load.', [
    'version !== undefined → true',
    'version !== undefined → false',
    'version !== undefined → version === undefined',
    "woken === 'environments' → true",
    "woken === 'environments' → false",
    "woken === 'environments' → woken !== 'environments'",
    `'environments' → ""`,
  ]),
  ...unseen(`${service}/src/checkout/routes.ts`, 'The first read follows a check.', [
    'woken → true',
  ]),
  ...unseen(`${service}/src/checkout/routes.ts`, 'The path has an id.', [
    ['params', `'' → "Stryker was here!"`],
  ]),
  ...unseen(`${service}/src/checkout/routes.ts`, 'The reason is not read.', [
    ['destroyed', `'closed' → ""`],
    ['response.once', `'closed' → ""`],
  ]),
  ...unseen(`${service}/src/checkout/session-token.ts`, 'It bounds the memory.', [
    'this.#verified.size >= maxVerified → false',
    'this.#verified.size >= maxVerified → this.#verified.size > maxVerified',
  ]),
  ...unseen(`${service}/src/intents/create-batch.ts`, 'Each loser has a key.', [
    ['losers.map', 'idempotency?.hash → idempotency.hash'],
    ['losers.map', 'idempotency?.fingerprint → idempotency.fingerprint'],
  ]),
  ...unseen(`${service}/src/intents/routes.ts`, 'The path has an id.', [
    `'' → "Stryker was here!"`,
  ]),
  ...unseen(`${service}/src/intents/find-batch.ts`, 'An aggregate returns one row.', [
    'found?.intents → found.intents',
  ]),
  ...unseen(`${service}/src/intents/find-batch.ts`, 'No intent has this id.', [
    '[] → ["Stryker was here"]',
  ]),
  ...unseen(`${service}/src/http/body.ts`, 'Faster.', [
    "contentType === 'application/json' → false",
    'only && chunks.length === 1 → false',
    '!request.complete → true',
  ]),
  ...unseen(`${service}/src/http/body.ts`, 'One of the two events is enough.', [
    `'error' → ""`,
    '() => reject(incomplete()) → () => undefined',
    `'close' → ""`,
    ["request.on('close'", '{ → {}'],
    '!request.complete → request.complete',
    '!request.complete → false',
  ]),
  ...unseen(`${service}/src/merchants/authenticate.ts`, 'Faster.', [
    'last && last.header === header && isValid(last.lookUp) → false',
    'lookUp && header !== undefined → false',
    'header !== undefined → header === undefined',
    '{ header, lookUp } → {}',
  ]),
  ...unseen(`${service}/src/merchants/authenticate.ts`, 'A key that was found has a header.', [
    'header !== undefined → true',
  ]),
  ...unseen(`${service}/src/merchants/authenticate.ts`, 'It bounds the memory.', [
    'entries.size >= cacheSize → false',
    'entries.size >= cacheSize → entries.size > cacheSize',
  ]),
  ...unseen(`${service}/src/merchants/authenticate.ts`, 'The first item is not read.', [
    '[] → ["Stryker was here"]',
  ]),
  ...unseen(`${service}/src/merchants/environments.ts`, 'Both are falsy.', [
    '() => false → () => undefined',
  ]),
  ...unseen(`${service}/src/http/json.ts`, 'Faster.', [
    'literal.length <= 15 && !/[eE]/.test(literal) → false',
    'literal.length <= 15 → literal.length < 15',
  ]),
  ...unseen(`${service}/src/http/single-header.ts`, 'Faster.', [
    'raw?.length === name.length → true',
  ]),
]

/** @param changes - As a run prints them; with a part of the line where a file has the same change several times. */
function unseen(file, why, changes) {
  return changes.map((each) => {
    const [line, change] = typeof each === 'string' ? ['', each] : each
    return { file, line, change, why }
  })
}

process.chdir(root)
const files = selectedFiles(process.argv.slice(2))
if (files.length === 0) console.log('No file of the list is selected.')
const rest = new Set(files)
for (const { sources, tests } of groups) {
  const mutate = below(sources, [...rest])
  for (const file of mutate) rest.delete(file)
  if (mutate.length > 0) report(mutate, await mutateFiles(mutate, tests))
}

function selectedFiles(args) {
  const all = git('ls-files', '--', ...groups.flatMap(({ sources }) => sources))
  if (args.length === 0) return all
  if (!args.includes('--changed')) return below(args, all)
  const [base] = git('merge-base', 'origin/main', 'HEAD')
  const [head] = git('rev-parse', 'HEAD')
  // On main itself: the last commit.
  const changed = git('diff', '--name-only', base === head ? 'HEAD^' : base)
  return all.filter((path) => changed.includes(path))
}

/** Selects the files that are named, or in a folder that is named. */
function below(names, paths) {
  return paths.filter((path) => names.some((name) => path === name || path.startsWith(`${name}/`)))
}

function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
}

/** @returns A result for each change of the files. */
function mutateFiles(mutate, tests) {
  process.env.PI_FUZZ_RUNS = '20'
  process.env.MUTATION_TESTS = tests.join(' ')
  process.env.MUTATION_EXCLUDED = excludedTests.join(' ')
  const options = {
    mutate,
    testRunner: 'vitest',
    plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
    vitest: { configFile: 'packages/tooling/mutation/vitest.config.ts' },
    coverageAnalysis: 'perTest',
    concurrency: 2,
    timeoutMS: 10_000,
    tempDirName: '.cache/mutation',
    ignorePatterns: [
      '.cache',
      '.data',
      '.wireit',
      'packages/{bench,contract,element,server}/dist',
      'test-results',
      'demo',
      'e2e',
    ],
    disableTypeChecks: false,
    // It would be read with an API that TypeScript 7 does not have.
    tsconfigFile: 'none',
    allowConsoleColors: false,
    reporters: ['progress'],
  }
  return new Stryker(options).runMutationTest()
}

/** Prints the mutants that no test finds, then a table; fails if a file has too many of them. */
function report(files, results) {
  const mutants = results.filter(({ status }) => status !== 'Ignored').map(described)
  const listed = equivalent
    .filter(({ file }) => files.includes(file))
    .map((entry) => ({ entry, matches: mutants.filter((mutant) => isListed(mutant, entry)) }))
  const unseen = new Set(listed.flatMap(({ matches }) => matches))
  const rows = files.flatMap((file) => {
    const all = mutants.filter((mutant) => mutant.file === file && !unseen.has(mutant))
    const survived = all.filter(({ status }) => ['Survived', 'NoCoverage'].includes(status))
    for (const { change, number, status } of survived)
      console.log(`${status} in ${file}:${number}: ${change}`)
    const score = 100 * (1 - survived.length / all.length)
    return all.length === 0 ? [] : [{ file, score, survived: survived.length, mutants: all.length }]
  })
  console.log()
  for (const { file, score, survived, mutants } of rows) {
    const mark = score < minimum ? 'FAIL' : 'ok'
    const counts = `${survived} of ${mutants} survived`
    console.log(`${mark.padEnd(4)} ${score.toFixed(1).padStart(5)} %  ${file}: ${counts}`)
  }
  const inexact = listed.filter(({ matches }) => matches.length !== 1)
  for (const { entry, matches } of inexact)
    console.log(`FAIL ${matches.length} changes, not one: ${entry.file}: ${entry.change}`)
  if (inexact.length > 0 || rows.some(({ score }) => score < minimum)) process.exitCode = 1
}

function isListed(mutant, { file, line, change }) {
  return mutant.file === file && mutant.change === change && mutant.line.includes(line)
}

function described({ fileName, location: { start, end }, replacement, status }) {
  const line = readFileSync(fileName, 'utf8').split('\n')[start.line - 1]
  const last = start.line === end.line ? end.column - 1 : undefined
  const source = line.slice(start.column - 1, last)
  const change = `${source} → ${replacement}`.replaceAll(/\s+/g, ' ')
  return { file: relative(root, fileName), line, number: start.line, change, status }
}
