// Builds, and runs the parts that are named: `npm test` runs `fast`, `npm run test:soak` runs `soak`, `.ci/run` both.
// The last line is `N passed, N failed`.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { chromiumPath, headlessShellPath } from '@pi-checkout/test-support/browsers'
import { root } from './files.mjs'

const bin = (name) => join(root, 'node_modules/.bin', name)
const chromium = await chromiumPath()

/** What a part takes of the tests, and in which browser. Playwright compares project, file, and title. */
const parts = {
  fast: {
    unitTests: '--exclude=**/*.soak.test.*',
    browserTests: '--grep-invert',
    // The same engine without the browser around it: a page opens in a third of the time.
    browser: headlessShellPath() ?? chromium,
  },
  soak: { unitTests: '.soak.test.', browserTests: '--grep', browser: chromium },
}
const soakTests = String.raw`\.soak\.test\.|^(firefox|webkit) `
const selected = process.argv.slice(2)

mkdirSync(join(root, '.cache'), { recursive: true })
const results = [check('build', 'npm', ['run', '--silent', 'build'])]
if (results[0].failed === 0) {
  if (selected.includes('fast')) {
    results.push(
      check('lint', bin('biome'), ['check', '--error-on-warnings', '.']),
      check('types', bin('tsc'), ['-b', '--pretty', 'false']),
      check('public API', process.execPath, ['packages/tooling/api-report.mjs']),
    )
  }
  for (const part of selected) results.push(unitTests(part), browserTests(part))
}
const passed = sum('passed')
const failed = sum('failed')
console.log(`\n${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

function check(name, command, args) {
  const ok = run(name, command, args)
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1 }
}

function unitTests(part) {
  const report = newReport(`vitest-${part}`)
  const { unitTests: files, browser } = parts[part]
  const args = [
    ...['run', '--root=.', '--config=packages/tooling/vitest.config.ts', files],
    ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
  ]
  const ok = run(`${part}: unit and integration tests`, bin('vitest'), args, {
    CHROMIUM_PATH: browser,
  })
  return counted(ok, report, (it) => ({ passed: it.numPassedTests, failed: it.numFailedTests }))
}

function browserTests(part) {
  const report = newReport(`playwright-${part}`)
  const { browserTests: option, browser } = parts[part]
  const args = ['test', '--config=e2e/playwright.config.ts', `${option}=${soakTests}`]
  const ok = run(`${part}: browser tests`, bin('playwright'), args, {
    CHROMIUM_PATH: browser,
    PLAYWRIGHT_JSON_OUTPUT_NAME: report,
  })
  return counted(ok, report, ({ stats }) => ({ passed: stats.expected, failed: stats.unexpected }))
}

function newReport(name) {
  const path = join(root, '.cache', `${name}.json`)
  rmSync(path, { force: true })
  return path
}

/** Reads a runner's report. A runner that fails without a failed test counts as one failure. */
function counted(ok, report, count) {
  try {
    const { passed, failed } = count(JSON.parse(readFileSync(report, 'utf8')))
    return { passed, failed: ok ? failed : Math.max(failed, 1) }
  } catch {
    return { passed: 0, failed: 1 }
  }
}

function run(name, command, args, variables = {}) {
  const startedAt = Date.now()
  console.log(`\n— ${name}`)
  const env = { ...process.env, ...variables }
  const { status } = spawnSync(command, args, { cwd: root, env, stdio: 'inherit' })
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  console.log(`— ${name}: ${status === 0 ? 'passed' : 'failed'} in ${seconds} s`)
  return status === 0
}

function sum(field) {
  return results.reduce((total, result) => total + result[field], 0)
}
