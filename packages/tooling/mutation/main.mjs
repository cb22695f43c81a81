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

/**
 * Sources, and the tests that must find their changes. These import them: Stryker changes nothing in another process.
 * Few tests for each source keep a run short.
 */
const groups = [
  { sources: ['packages/contract/src'], tests: ['packages/contract/test/**/*.test.ts'] },
  ...['cli', 'frameworks', 'handoff', 'testing'].map((folder) => ({
    sources: [`${server}/src/${folder}`],
    tests: [`${server}/test/${folder}/*.test.ts`],
  })),
  {
    sources: [`${server}/src/client`, `${server}/src/browser.ts`],
    tests: [`${server}/test/client/*.test.ts`, `${server}/test/readme.test.ts`],
  },
  {
    sources: [`${service}/src/intents`],
    tests: [`${service}/test/intents/*.test.ts`],
  },
  {
    sources: [`${service}/src/merchants`],
    tests: [`${service}/test/merchants/*.test.ts`, `${service}/test/intents/routes.test.ts`],
  },
  {
    sources: ['body', 'json', 'single-header'].map((name) => `${service}/src/http/${name}.ts`),
    tests: [
      `${service}/test/http/{json,protocol}.test.ts`,
      `${service}/test/intents/{idempotency,routes}.test.ts`,
    ],
  },
  {
    sources: [`${service}/src/checkout`],
    tests: [`${service}/test/checkout/{return-url,routes,session-token}.test.ts`],
  },
]

/** They take long, or run their sources in other processes. */
const excludedTests = [
  '**/*.soak.test.ts',
  `${server}/test/client/fault-matrix.test.ts`,
  `${server}/test/frameworks/clients-that-leave.test.ts`,
]

process.chdir(root)
const files = selectedFiles(process.argv.slice(2))
if (files.length === 0) console.log('No file of the list is selected.')
for (const { sources, tests } of groups) {
  const mutate = below(sources, files)
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
function report(files, mutants) {
  const rows = files.flatMap((file) => {
    const all = mutants.filter(
      ({ fileName, status }) => relative(root, fileName) === file && status !== 'Ignored',
    )
    const survived = all.filter(({ status }) => ['Survived', 'NoCoverage'].includes(status))
    survived.forEach(printMutant)
    const score = 100 * (1 - survived.length / all.length)
    return all.length === 0 ? [] : [{ file, score, survived: survived.length, mutants: all.length }]
  })
  console.log()
  for (const { file, score, survived, mutants } of rows) {
    const mark = score < minimum ? 'FAIL' : 'ok'
    const counts = `${survived} of ${mutants} survived`
    console.log(`${mark.padEnd(4)} ${score.toFixed(1).padStart(5)} %  ${file}: ${counts}`)
  }
  if (rows.some(({ score }) => score < minimum)) process.exitCode = 1
}

function printMutant({ fileName, location: { start, end }, mutatorName, replacement, status }) {
  const lines = readFileSync(fileName, 'utf8').split('\n')
  const last = start.line === end.line ? end.column - 1 : undefined
  const source = lines[start.line - 1].slice(start.column - 1, last)
  const place = `${relative(root, fileName)}:${start.line}:${start.column}`
  const change = `${source} → ${replacement}`.replaceAll(/\s+/g, ' ')
  console.log(`${place} ${status} ${mutatorName}: ${change}`)
}
