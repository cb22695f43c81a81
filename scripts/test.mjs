// `npm test` runs the steps of `fast`, `npm run test:soak` those of `soak`, and `.ci/run` both, after a build. Failures and
// skipped tests are repeated at the end, and the last line is `N passed, N failed, N skipped`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, dirname } from 'node:path'
import { root } from './files.mjs'
import { nodeBinary, nodeVersions } from './node-versions.mjs'
import { addResult, clearResults, readResults } from './results.mjs'

const vitest = 'vitest run --reporter=default --reporter=./scripts/vitest-reporter.mjs'
const playwright = 'playwright test --reporter=list,./scripts/playwright-reporter.mjs'
const steps = {
  fast: [
    { name: 'lint', command: 'biome check --error-on-warnings .' },
    { name: 'types', command: 'tsc -b --pretty false' },
    { name: 'unused code', command: 'knip --no-progress' },
    { name: 'size of the element', command: 'size-limit' },
    { name: 'tests', command: `${vitest} --project=!soak*` },
    { name: 'stories in a browser', command: `${playwright} --project=stories` },
  ],
  soak: [
    { name: 'soak tests', command: `${vitest} --project=soak*` },
    {
      name: 'tests in browsers',
      command: `${playwright} --project packages chromium inspector firefox`,
    },
    ...otherVersions().map((version) => ({
      name: `Node.js ${version}`,
      command: `${vitest} --project=server --project=service`,
      version,
    })),
  ],
}

clearResults()
const selected = process.argv.slice(2).flatMap((part) => steps[part])
if (await run({ name: 'build', command: 'node scripts/build.mjs' })) {
  for (const step of selected) await run(step)
}
const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map((state) =>
  readResults().filter((result) => result.state === state),
)
for (const { name, text } of failed) console.log(`\n✗ ${name}\n${text}`)
for (const { name, text } of skipped) console.log(`skipped: ${name}: ${text}`)
console.log(`\n${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped`)
process.exit(failed.length === 0 ? 0 : 1)

/** Runs a step. One that added no results itself is one result. */
async function run({ name, command, version }) {
  console.log(`\n— ${name}`)
  const startedAt = Date.now()
  const before = readResults().length
  const env = { ...process.env }
  if (version) env.PATH = [dirname(nodeBinary(version)), env.PATH].join(delimiter)
  const [program, ...args] = command.split(' ')
  const [status] = await once(spawn(program, args, { cwd: root, env, stdio: 'inherit' }), 'exit')
  const state = status === 0 ? 'passed' : 'failed'
  const added = readResults().slice(before)
  const isExplained = added.some((result) => result.state === 'failed' || result.hasFailed)
  if (added.length === 0 || (status !== 0 && !isExplained)) addResult({ state, name, text: '' })
  console.log(`— ${name}: ${state} in ${Math.round((Date.now() - startedAt) / 1000)} s`)
  return status === 0
}

/** The oldest and the newest version, except of this line. */
function otherVersions() {
  const line = `${process.versions.node.split('.')[0]}.`
  return [nodeVersions[0], nodeVersions.at(-1)].filter((version) => !version.startsWith(line))
}
