// `npm test`: builds, lints, type-checks, and runs every test. The last line is `N passed, N failed`.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { chromiumPath } from '@pi-checkout/test-support/browsers'
import { root } from './files.mjs'

const bin = (name) => join(root, 'node_modules/.bin', name)
// Continuous integration shares its cores, so a failed test runs again there.
const retries = process.env.CI !== undefined
const report = (name) => join(root, '.cache', `${name}.json`)
const browser = await chromiumPath()

mkdirSync(join(root, '.cache'), { recursive: true })
for (const name of ['vitest', 'playwright']) rmSync(report(name), { force: true })

const results = [check('build', 'npm', ['run', '--silent', 'build'])]
if (results[0].failed === 0) {
  results.push(
    check('lint', bin('biome'), ['check', '--error-on-warnings', '.']),
    check('types', bin('tsc'), ['-b', '--pretty', 'false']),
    check('public API', process.execPath, ['packages/tooling/api-report.mjs']),
    unitTests(),
    browserTests(),
  )
}
const passed = sum('passed')
const failed = sum('failed')
console.log(`\n${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

function check(name, command, args) {
  const ok = run(name, command, args)
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1 }
}

function unitTests() {
  const ok = run('unit and integration tests', bin('vitest'), [
    'run',
    '--root=.',
    '--config=packages/tooling/vitest.config.ts',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report('vitest')}`,
    ...(retries ? ['--retry=1'] : []),
  ])
  return counted(ok, 'vitest', (it) => ({ passed: it.numPassedTests, failed: it.numFailedTests }))
}

function browserTests() {
  const args = ['test', '--config=e2e/playwright.config.ts']
  const variables = { PLAYWRIGHT_JSON_OUTPUT_NAME: report('playwright') }
  const ok = run('browser tests', bin('playwright'), args, variables)
  return counted(ok, 'playwright', ({ stats }) => ({
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected,
  }))
}

/** Reads a runner's report. A runner that fails without a failed test counts as one failure. */
function counted(ok, name, count) {
  try {
    const { passed, failed } = count(JSON.parse(readFileSync(report(name), 'utf8')))
    return { passed, failed: ok ? failed : Math.max(failed, 1) }
  } catch {
    return { passed: 0, failed: 1 }
  }
}

function run(name, command, args, variables = {}) {
  const startedAt = Date.now()
  console.log(`\n— ${name}`)
  const { status } = spawnSync(command, args, {
    cwd: root,
    env: { ...process.env, ...(browser ? { CHROMIUM_PATH: browser } : {}), ...variables },
    stdio: 'inherit',
  })
  console.log(
    `— ${name}: ${status === 0 ? 'passed' : 'failed'} in ${Math.round((Date.now() - startedAt) / 1000)} s`,
  )
  return status === 0
}

function sum(field) {
  return results.reduce((total, result) => total + result[field], 0)
}
