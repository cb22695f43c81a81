// Builds, and runs the parts that are named: `npm test` runs `fast`, `npm run test:soak` runs `soak`, `.ci/run` both.
// It repeats failures and skipped tests with their reason at the end, and its last line is `N passed, N failed, N skipped`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { root } from './files.mjs'
import { nodeBinary, nodeVersions } from './node-versions.mjs'

const bin = (name) => join(root, 'node_modules/.bin', name)

/** A story in Chromium, as Playwright names it: project, file, and title. */
const story = String.raw`^chromium stories/[\w-]+\.test\.ts `
/** What a part takes of the tests. */
const parts = {
  fast: { unitTests: '--exclude=**/*.soak.test.*', browserTests: `--grep=${story}` },
  soak: { unitTests: '.soak.test.', browserTests: `--grep-invert=${story}` },
}
/** Tests of what no version of Node.js changes: pages, documents, types, commands, settings, and rules of a store. */
const independent = [
  '**/types.test.ts',
  '**/{api-docs,cli,hosted,intents,merchants,provider,sandbox,test-bank,testing}/**',
  '**/checkout/!(stores).test.ts',
  '**/{demo-merchant,first-key,secret-keys,standby}.test.ts',
]
const selected = process.argv.slice(2)

mkdirSync(join(root, '.cache'), { recursive: true })
const results = [await check('build', 'npm', ['run', '--silent', 'build'])]
if (results[0].failures.length === 0) {
  if (selected.includes('fast')) {
    const checks = [
      check('lint', bin('biome'), ['check', '--error-on-warnings', '.']),
      check('types', bin('tsc'), ['-b', '--pretty', 'false']),
      check('unused code', bin('knip'), ['--no-progress']),
      check('size of the element', bin('size-limit'), []),
    ]
    results.push(...(await Promise.all(checks)))
  }
  for (const part of selected) results.push(await unitTests(part), await browserTests(part))
  if (selected.includes('soak')) {
    for (const version of otherVersions()) results.push(await testsOnNode(version))
  }
}
const passed = results.reduce((total, result) => total + result.passed, 0)
const skipped = results.flatMap((result) => result.skipped)
const failures = results.flatMap((result) => result.failures)
for (const failure of failures) console.log(`\n✗ ${failure}`)
for (const [test, reason] of skipped) console.log(`skipped: ${test}: ${reason}`)
console.log(`\n${passed} passed, ${failures.length} failed, ${skipped.length} skipped`)
process.exit(failures.length === 0 ? 0 : 1)

async function check(name, command, args) {
  const ok = await run(name, command, args)
  return { passed: ok ? 1 : 0, skipped: [], failures: ok ? [] : [name] }
}

async function unitTests(part) {
  return await vitest(`${part}: unit and integration tests`, [parts[part].unitTests])
}

/** The oldest and the newest version, without the line of this Node.js if the fast tests have just run on it. */
function otherVersions() {
  const ends = [nodeVersions[0], nodeVersions.at(-1)]
  const line = `${process.versions.node.split('.')[0]}.`
  return ends.filter((version) => !selected.includes('fast') || !version.startsWith(line))
}

/** Runs the fast tests of what a version of Node.js may change. The packed packages are tried on each version. */
async function testsOnNode(version) {
  const PATH = [dirname(nodeBinary(version)), process.env.PATH].join(delimiter)
  const projects = ['server', 'service*'].map((name) => `--project=${name}`)
  const excluded = ['**/*.soak.test.*', ...independent].map((files) => `--exclude=${files}`)
  return await vitest(`soak: Node.js ${version}`, [...projects, ...excluded], { PATH })
}

async function vitest(name, selection, variables) {
  const report = newReport('vitest')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const args = ['run', ...selection, ...reporters]
  const ok = await run(name, bin('vitest'), args, variables)
  return counted(name, ok, report, ({ numPassedTests, testResults }) => ({
    passed: numPassedTests,
    skipped: testResults.flatMap(skippedOfFile),
    failures: testResults.flatMap(failuresOfFile),
  }))
}

async function browserTests(part) {
  const report = newReport('playwright')
  const name = `${part}: browser tests`
  const ok = await run(name, bin('playwright'), ['test', parts[part].browserTests], {
    PLAYWRIGHT_JSON_OUTPUT_NAME: report,
  })
  return counted(name, ok, report, ({ stats, suites }) => ({
    passed: stats.expected,
    skipped: suites.flatMap(skippedOfSuite),
    failures: suites.flatMap(failuresOfSuite),
  }))
}

/** The failed tests of a file in Vitest's report. A file without tests failed to load. */
function failuresOfFile({ name, message, status, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed')
  if (status === 'failed' && failed.length === 0) return [`${name}\n${message}`]
  return failed.map((test) => `${name} > ${test.fullName}\n${test.failureMessages.join('\n')}`)
}

/** The skipped tests of a file in Vitest's report, which has no reasons. */
function skippedOfFile({ name, assertionResults }) {
  return assertionResults
    .filter(({ status }) => status === 'pending' || status === 'skipped')
    .map(({ fullName }) => [
      `${relative(root, name)} > ${fullName}`,
      'it needs a program that is not installed, or another system',
    ])
}

/** The skipped tests of a suite in Playwright's report. */
function skippedOfSuite({ suites = [], specs = [] }) {
  const skipped = specs.flatMap(({ file, title, tests }) =>
    tests
      .filter(({ status }) => status === 'skipped')
      .map(({ projectName, annotations }) => [
        `${projectName} > ${file} > ${title}`,
        annotations.find(({ type }) => type === 'skip')?.description ?? 'no reason',
      ]),
  )
  return [...skipped, ...suites.flatMap(skippedOfSuite)]
}

/** The failed tests of a suite in Playwright's report. */
function failuresOfSuite({ suites = [], specs = [] }) {
  const failed = specs.flatMap(({ file, title, tests }) =>
    tests
      .filter(({ status }) => status === 'unexpected')
      .map(({ projectName, results: [{ errors }] }) => {
        const messages = errors.map(({ message, snippet = '' }) => `${message}\n${snippet}`)
        return [`${projectName} > ${file} > ${title}`, ...messages].join('\n')
      }),
  )
  return [...failed, ...suites.flatMap(failuresOfSuite)]
}

function newReport(name) {
  const path = join(root, '.cache', `${name}.json`)
  rmSync(path, { force: true })
  return path
}

/** Reads a runner's report. A runner that fails without a failed test counts as one failure. */
function counted(name, ok, report, read) {
  try {
    const { passed, skipped, failures } = read(JSON.parse(readFileSync(report, 'utf8')))
    if (!ok && failures.length === 0) failures.push(name)
    return { passed, skipped, failures }
  } catch {
    return { passed: 0, skipped: [], failures: [`${name}: no report`] }
  }
}

async function run(name, command, args, variables = {}) {
  const startedAt = Date.now()
  console.log(`\n— ${name}`)
  const env = { ...process.env, ...variables }
  const [status] = await once(spawn(command, args, { cwd: root, env, stdio: 'inherit' }), 'exit')
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  console.log(`— ${name}: ${status === 0 ? 'passed' : 'failed'} in ${seconds} s`)
  return status === 0
}
