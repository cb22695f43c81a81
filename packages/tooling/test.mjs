// Builds, and runs the parts that are named: `npm test` runs `fast`, `npm run test:soak` runs `soak`, `.ci/run` both.
// It repeats the failures at the end, and its last line is `N passed, N failed`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { chromiumPath, headlessShellPath } from '@pi-checkout/test-support/browsers'
import { root } from './files.mjs'
import { nodeBinary, nodeVersions } from './node-versions.mjs'

const bin = (name) => join(root, 'node_modules/.bin', name)
const chromium = await chromiumPath()

/** What a part takes of the tests, and in which browser. Playwright compares project, file, and title. */
const parts = {
  fast: {
    unitTests: '--exclude=**/*.soak.test.*',
    browserTests: String.raw`--grep-invert=\.soak\.test\.|^(firefox|webkit) `,
    // The same engine without the browser around it: a page opens in a third of the time.
    browser: headlessShellPath() ?? chromium,
  },
  soak: {
    unitTests: '.soak.test.',
    browserTests: String.raw`--grep=\.soak\.test\.|^(firefox|webkit) `,
    browser: chromium,
  },
}
const selected = process.argv.slice(2)

mkdirSync(join(root, '.cache'), { recursive: true })
const results = [await check('build', 'npm', ['run', '--silent', 'build'])]
if (results[0].failures.length === 0) {
  if (selected.includes('fast')) {
    const checks = [
      check('lint', bin('biome'), ['check', '--error-on-warnings', '.']),
      check('types', bin('tsc'), ['-b', '--pretty', 'false']),
      check('public API', process.execPath, ['packages/tooling/api-report.mjs']),
    ]
    results.push(...(await Promise.all(checks)))
  }
  for (const part of selected) results.push(await unitTests(part), await browserTests(part))
  if (selected.includes('soak')) {
    for (const version of otherVersions()) results.push(await testsOnNode(version))
  }
}
const passed = results.reduce((total, result) => total + result.passed, 0)
const failures = results.flatMap((result) => result.failures)
for (const failure of failures) console.log(`\n✗ ${failure}`)
console.log(`\n${passed} passed, ${failures.length} failed`)
process.exit(failures.length === 0 ? 0 : 1)

async function check(name, command, args) {
  const ok = await run(name, command, args)
  return ok ? { passed: 1, failures: [] } : { passed: 0, failures: [name] }
}

async function unitTests(part) {
  const { unitTests: files, browser } = parts[part]
  return await vitest(`${part}: unit and integration tests`, [files], { CHROMIUM_PATH: browser })
}

/** Without the line of this Node.js, if the fast tests have just run on it. */
function otherVersions() {
  if (!selected.includes('fast')) return nodeVersions
  const line = `${process.versions.node.split('.')[0]}.`
  return nodeVersions.filter((version) => !version.startsWith(line))
}

/** Runs the fast tests that need no browser on another version of Node.js. */
async function testsOnNode(version) {
  const PATH = [dirname(nodeBinary(version)), process.env.PATH].join(delimiter)
  const projects = ['contract', 'server', 'service*'].map((name) => `--project=${name}`)
  const excluded = ['**/*.soak.test.*', '**/hosted/**'].map((files) => `--exclude=${files}`)
  return await vitest(`soak: Node.js ${version}`, [...projects, ...excluded], { PATH })
}

async function vitest(name, selection, variables) {
  const report = newReport('vitest')
  const args = [
    ...['run', '--root=.', '--config=packages/tooling/vitest.config.ts', ...selection],
    ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
  ]
  const ok = await run(name, bin('vitest'), args, variables)
  return counted(name, ok, report, ({ numPassedTests, testResults }) => ({
    passed: numPassedTests,
    failures: testResults.flatMap(failuresOfFile),
  }))
}

async function browserTests(part) {
  const report = newReport('playwright')
  const { browserTests: filter, browser } = parts[part]
  const args = ['test', '--config=e2e/playwright.config.ts', filter]
  const name = `${part}: browser tests`
  const ok = await run(name, bin('playwright'), args, {
    CHROMIUM_PATH: browser,
    PLAYWRIGHT_JSON_OUTPUT_NAME: report,
  })
  return counted(name, ok, report, ({ stats, suites }) => ({
    passed: stats.expected,
    failures: suites.flatMap(failuresOfSuite),
  }))
}

/** The failed tests of a file in Vitest's report. A file without tests failed to load. */
function failuresOfFile({ name, message, status, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed')
  if (status === 'failed' && failed.length === 0) return [`${name}\n${message}`]
  return failed.map((test) => `${name} > ${test.fullName}\n${test.failureMessages.join('\n')}`)
}

/** The failed tests of a suite in Playwright's report. */
function failuresOfSuite({ suites = [], specs = [] }) {
  const failed = specs.flatMap(({ file, title, tests }) =>
    tests
      .filter(({ status }) => status === 'unexpected')
      .map(({ projectName, results: [{ error }] }) => {
        return `${projectName} > ${file} > ${title}\n${error?.message ?? ''}`
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
    const { passed, failures } = read(JSON.parse(readFileSync(report, 'utf8')))
    if (!ok && failures.length === 0) failures.push(name)
    return { passed, failures }
  } catch {
    return { passed: 0, failures: [`${name}: no report`] }
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
