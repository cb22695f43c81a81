// Installs what is missing: dependencies, and with --tests the programs that some tests need.
// Plain Node.js without dependencies, because it runs before they are installed.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  chromiumPath,
  firefoxPath,
  headlessShellPath,
} from '../packages/test-support/src/browsers.mjs'
import { runPnpm } from './pnpm.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  fail(`Node.js ${process.versions.node} is too old: this project needs Node.js 20.19 or later.`)
}
if (changedAt('node_modules/.modules.yaml') < changedAt('pnpm-lock.yaml')) installDependencies()
if (process.argv.includes('--tests')) await installPrograms()

function installDependencies() {
  console.log('Installing dependencies, which can take a minute…')
  const args = ['install', '--frozen-lockfile', '--trust-lockfile', '--loglevel=error']
  if (!runPnpm(...args)) fail('The dependencies could not be installed. See the lines above.')
}

/** Installs packages of Debian. Without them the tests that need them are skipped. */
async function installPrograms() {
  const programs = [
    ['chromium', await chromiumPath()],
    ['chromium-headless-shell', headlessShellPath()],
    ['firefox-esr', firefoxPath()],
    ['webkit2gtk-driver', existsSync('/usr/bin/WebKitWebDriver')],
    ['xvfb', existsSync('/usr/bin/Xvfb')],
    ['postgresql', existsSync('/usr/lib/postgresql') || run('postgres', ['--version'], 'ignore')],
    ['nginx', existsSync('/usr/sbin/nginx')],
  ]
  const missing = programs.filter(([, found]) => !found).map(([name]) => name)
  if (missing.length === 0) return
  const packages = missing.join(' ')
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) {
    console.log(
      `Not installed, which skips tests: ${packages}. On Debian: apt-get install ${packages}`,
    )
    return
  }
  console.log(`Some tests need packages of the system. Installing with apt-get: ${packages}`)
  const options = ['-qq', '-o', 'DPkg::Lock::Timeout=600']
  run('apt-get', [...options, 'update'])
  const done = run('apt-get', [...options, 'install', '-y', '--no-install-recommends', ...missing])
  if (!done) console.log('They could not be installed. The tests that need one are skipped.')
}

function changedAt(path) {
  return statSync(`${root}/${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function run(command, args, stdio = 'inherit') {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return spawnSync(command, args, { cwd: root, env, stdio }).status === 0
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
