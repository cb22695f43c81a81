// `npm run mutation`: makes one change at a time in the sources, and lists those that no test finds.
// Arguments are files or folders; `--changed` selects the files that changed since origin/main.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, matchesGlob, relative } from 'node:path'
import { Stryker } from '@stryker-mutator/core'
import { root } from '../files.mjs'

const minimum = 90

/**
 * A package, its sources below `src`, and the tests below `test` that must find their changes. A file belongs to the
 * first group that names it or its folder. These tests import them: Stryker changes nothing in another process. Few
 * tests for each source keep a run short.
 */
const groups = [
  ['contract', '', '**/*'],
  ...['cli', 'frameworks', 'handoff', 'testing'].map((name) => ['server', name, `${name}/*`]),
  // The texts of the others would run every test of the client.
  ['server', 'client/{configuration,create-params,new-order-id} browser', 'client/configuration'],
  ['server', 'client/{deprecate,errors}', 'client/errors'],
  ['server', 'client/error-codes', 'readme client/read-response'],
  ['server', 'client/{idempotency-key,sha256}', 'client/idempotency-key'],
  ['server', 'client/redact', 'client/redact'],
  ['server', 'client', 'client/{configuration,payment-intents,read-response,transport}'],
  // In jsdom. The tests in browsers run built files.
  [
    'element',
    'client credentials errors locale origin',
    '{client,credentials,errors,locale,origin}',
  ],
  ['element', 'appearance define-checkout', 'origin'],
  ['element', 'burst', 'burst'],
  ['element', 'frame-height frame-session', 'frame-session'],
  ['element', 'unknown-properties', 'unknown-properties'],
  ['element', 'checkout-element events view when-ready', '{checkout-element,hosted-messages}'],
  ['element', 'frameworks/react', 'react'],
  // Tests without a service take milliseconds.
  ...Object.entries({
    http: 'body json single-header',
    intents: 'client-secret idempotency lifecycle parse-request serialize',
    checkout:
      'checkout-view csp-reports long-poll parse-request provider-result return-url session-token ' +
      'wait-for-version wait-groups',
  }).flatMap(([folder, names]) =>
    names.split(' ').map((name) => ['service', `${folder}/${name}`, `${folder}/${name}`]),
  ),
  // Tests with an embedded store.
  ['service', 'intents/{find-batch,intent-row,create-batch,intents}', 'intents/intents'],
  ['service', 'intents/{lifetimes,reaper}', 'intents/{reaper,lifecycle} checkout/session-token'],
  ['service', 'checkout/intent-snapshot', 'checkout/intent-snapshot'],
  ['service', 'checkout/pages', 'checkout/pages'],
  ['service', 'checkout/confirm', 'checkout/{confirm,routes}'],
  ['service', 'checkout/{api-errors,open-session}', 'checkout/routes'],
  ['service', 'checkout/routes', 'checkout/{routes,pages}'],
  ['service', 'intents/routes', 'intents/routes'],
  ['service', 'merchants', 'merchants/{authenticate,merchants}'],
].map(([name, sources, tests]) => ({
  sources: sources.split(' ').map((source) => join('packages', name, 'src', source)),
  tests: tests.split(' ').map((test) => `packages/${name}/test/${test}.test.{ts,tsx}`),
}))

/** They take long, or run their sources in other processes. */
const excludedTests = [
  '**/*.soak.test.ts',
  'packages/server/test/frameworks/clients-that-leave.test.ts',
]

/**
 * Changes that cannot be seen, as a run prints them; with a part of the line where a file has the same change several
 * times. A run that does not make exactly one such change fails.
 */
const equivalent = {
  'packages/server/src/cli/doctor.ts': [
    // Clocks without a difference agree.
    'skew > 0 → skew >= 0',
  ],
  'packages/server/src/cli/get.ts': [
    // The first item is not read.
    '[] → ["Stryker was here"]',
  ],
  'packages/server/src/cli/page-policy.ts': [
    // The first item is not read.
    ['const [, scheme]', '[] → ["Stryker was here"]'],
    ['(?:([a-z]', '[] → ["Stryker was here"]'],
  ],
  'packages/server/src/client/errors.ts': [
    // Only its presence is read.
    '{ value: true } → {}',
    ['defineProperty', 'true → false'],
  ],
  'packages/server/src/client/test-time.ts': [
    // The same name is written and read.
    `'pi-checkout.test-time' → ""`,
  ],
  'packages/server/src/client/fetch-transport.ts': [
    // Faster.
    'length !== null && !encoded && Number(length) <= max → false',
    'Number(length) <= max → Number(length) < max',
  ],
  'packages/server/src/client/sha256.ts': [
    // Faster.
    `'node:crypto' → ""`,
    'nodeCrypto?.hash → false',
  ],
  'packages/element/src/frameworks/react.ts': [
    // It never changes.
    ['element.current as', '[] → ["Stryker was here"]'],
    '[follow] → []',
    // Another number is enough.
    'count + 1 → count - 1',
    // Without a listener, nothing is added.
    ['!handler', '!target || !handler → false'],
    ['!handler', '!target || !handler → !target && !handler'],
  ],
  'packages/element/src/when-ready.ts': [
    // A settled promise ignores it.
    ['signal?.addEventListener', '{ signal: done.signal } → {}'],
    ['pi-statechange', '{ signal: done.signal } → {}'],
    'signal.aborted → false',
    ['removeController', `'abort' → ""`],
    '() => element.removeController(controller) → () => undefined',
    // It is called by the signal.
    'signal?.reason → signal.reason',
  ],
  'packages/service/src/checkout/confirm.ts': [
    // The confirmation is read again.
    'moved → false',
    // Only a pending outcome has `after`.
    "outcome.result === 'pending' → true",
    // An intent accepts a result while it is processing, and none before its challenge.
    ["|| outcome.result === 'pending') return", "outcome.result === 'challenge' → false"],
    ["|| outcome.result === 'pending') return", `'challenge' → ""`],
    ["'rejection' in settled", `'rejection' → ""`],
  ],
  'packages/service/src/checkout/open-session.ts': [
    // Neither has a token.
    `'' → "Stryker was here!"`,
    // The first item is not read.
    '[] → ["Stryker was here"]',
    // Both are falsy.
    '() => false → () => undefined',
  ],
  'packages/service/src/checkout/pages.ts': [
    // Faster.
    'known → false',
    'cached → false',
    // A built page has a style sheet.
    ['const [, rest', `'' → "Stryker was here!"`],
    ['const [sheet', `'' → "Stryker was here!"`],
  ],
  'packages/service/src/checkout/routes.ts': [
    // It spreads the load.
    'version !== undefined → true',
    'version !== undefined → false',
    'version !== undefined → version === undefined',
    "woken === 'environments' → true",
    "woken === 'environments' → false",
    "woken === 'environments' → woken !== 'environments'",
    `'environments' → ""`,
    // The first read follows a check.
    'woken → true',
    // The path has an id.
    ['params', `'' → "Stryker was here!"`],
    // The reason is not read.
    ['destroyed', `'closed' → ""`],
    ['response.once', `'closed' → ""`],
  ],
  'packages/service/src/checkout/session-token.ts': [
    // It bounds the memory.
    'this.#verified.size >= maxVerified → false',
    'this.#verified.size >= maxVerified → this.#verified.size > maxVerified',
  ],
  'packages/service/src/intents/create-batch.ts': [
    // Each loser has a key.
    ['losers.map', 'idempotency?.hash → idempotency.hash'],
    ['losers.map', 'idempotency?.fingerprint → idempotency.fingerprint'],
  ],
  'packages/service/src/intents/routes.ts': [
    // The path has an id.
    `'' → "Stryker was here!"`,
  ],
  'packages/service/src/intents/find-batch.ts': [
    // An aggregate returns one row.
    'found?.intents → found.intents',
    // No intent has this id.
    '[] → ["Stryker was here"]',
  ],
  'packages/service/src/http/body.ts': [
    // Faster.
    "contentType === 'application/json' → false",
    'only && chunks.length === 1 → false',
    '!request.complete → true',
    // One of the two events is enough.
    `'error' → ""`,
    '() => reject(incomplete()) → () => undefined',
    `'close' → ""`,
    ["request.on('close'", '{ → {}'],
    '!request.complete → request.complete',
    '!request.complete → false',
  ],
  'packages/service/src/merchants/authenticate.ts': [
    // Faster.
    'last && last.header === header && isValid(last.lookUp) → false',
    'lookUp && header !== undefined → false',
    'header !== undefined → header === undefined',
    '{ header, lookUp } → {}',
    // A key that was found has a header.
    'header !== undefined → true',
    // It bounds the memory.
    'entries.size >= cacheSize → false',
    'entries.size >= cacheSize → entries.size > cacheSize',
    // The first item is not read.
    '[] → ["Stryker was here"]',
  ],
  'packages/service/src/merchants/environments.ts': [
    // Both are falsy.
    '() => false → () => undefined',
  ],
  'packages/service/src/http/json.ts': [
    // Faster.
    'literal.length <= 15 && !/[eE]/.test(literal) → false',
    'literal.length <= 15 → literal.length < 15',
  ],
  'packages/service/src/http/single-header.ts': [
    // Faster.
    'raw?.length === name.length → true',
  ],
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
  const sources = groups.flatMap((group) => group.sources)
  const all = below(sources, git('ls-files', 'packages/*/src/*'))
  if (args.length === 0) return all
  if (!args.includes('--changed')) return below(args, all)
  const [base] = git('merge-base', 'origin/main', 'HEAD')
  const [head] = git('rev-parse', 'HEAD')
  // On main itself: the last commit.
  const changed = git('diff', '--name-only', base === head ? 'HEAD^' : base)
  return all.filter((path) => changed.includes(path))
}

/** Selects the files that are named, with or without extension, or in a folder that is named. */
function below(names, paths) {
  const globs = names.flatMap((name) => [name, `${name}.{ts,tsx}`, `${name}/**`])
  return paths.filter((path) => globs.some((glob) => matchesGlob(path, glob)))
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
  const listed = files.flatMap((file) =>
    (equivalent[file] ?? []).map((entry) => {
      const [line, change] = typeof entry === 'string' ? ['', entry] : entry
      const isListed = (mutant) => mutant.change === change && mutant.line.includes(line)
      const matches = mutants.filter((mutant) => mutant.file === file && isListed(mutant))
      return { file, change, matches }
    }),
  )
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
  for (const { file, change, matches } of inexact)
    console.log(`FAIL ${matches.length} changes, not one: ${file}: ${change}`)
  if (inexact.length > 0 || rows.some(({ score }) => score < minimum)) process.exitCode = 1
}

function described({ fileName, location: { start, end }, replacement, status }) {
  const line = readFileSync(fileName, 'utf8').split('\n')[start.line - 1]
  const last = start.line === end.line ? end.column - 1 : undefined
  const source = line.slice(start.column - 1, last)
  const change = `${source} → ${replacement}`.replaceAll(/\s+/g, ' ')
  return { file: relative(root, fileName), line, number: start.line, change, status }
}
