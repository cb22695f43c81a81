// Installs what is missing: dependencies, and with --tests browsers, PostgreSQL, nginx, and HAProxy.
// Plain Node.js without dependencies, because it runs before they are installed.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { firefoxPath, headlessShellPath } from '../packages/test-support/src/browsers.mjs'
import { pnpm } from './pnpm.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

// On Debian it is not in the PATH of users.
const nginx = existsSync('/usr/sbin/nginx') ? '/usr/sbin/nginx' : 'nginx'

// The tests that need one of them, other than Chromium, are skipped if it is not installed.
const tools = [
  {
    name: 'Chromium',
    packages: ['chromium'],
    found: () => passes(process.execPath, ['packages/test-support/src/browsers.mjs']),
  },
  {
    name: 'Chromium without windows',
    packages: ['chromium-headless-shell'],
    found: () => headlessShellPath() !== undefined,
    without: 'the tests use Chromium and take longer',
  },
  { name: 'PostgreSQL', packages: ['postgresql'], found: hasPostgres },
  { name: 'nginx', packages: ['nginx'], found: () => passes(nginx, ['-v']) },
  { name: 'HAProxy', packages: ['haproxy'], found: () => existsSync('/usr/sbin/haproxy') },
  { name: 'Firefox', packages: ['firefox-esr'], found: () => firefoxPath() !== undefined },
  {
    name: 'WebKit',
    packages: ['webkit2gtk-driver', 'xvfb'],
    found: () => existsSync('/usr/bin/WebKitWebDriver') && existsSync('/usr/bin/Xvfb'),
  },
]

checkNode()
installDependencies()
if (process.argv.includes('--tests')) installTools()

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  fail(`Node.js ${process.versions.node} is too old: this project needs Node.js 20.19 or later.`)
}

function installDependencies() {
  if (changedAt('node_modules/.modules.yaml') > changedAt('pnpm-lock.yaml')) return
  console.log('Installing dependencies, which can take a minute…')
  // npm would pass these to npx, which would run the outer command again.
  const { npm_config_call: _call, npm_config_package: _package, ...env } = process.env
  const args = [
    '--yes',
    pnpm,
    'install',
    '--frozen-lockfile',
    '--trust-lockfile',
    '--loglevel=error',
  ]
  if (!run('npx', args, env)) fail('The dependencies could not be installed. See the lines above.')
}

function installTools() {
  const missing = tools.filter(({ found }) => !found())
  if (missing.length === 0) return
  console.log(`Installing ${missing.map(({ name }) => name).join(', ')}…`)
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    const options = ['-qq', '-o', 'DPkg::Lock::Timeout=600']
    const packages = missing.flatMap((tool) => tool.packages)
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    run('apt-get', [...options, 'update'], env)
    run('apt-get', [...options, 'install', '-y', '--no-install-recommends', ...packages], env)
  } else if (missing.some(({ name }) => name === 'Chromium')) {
    run('npx', ['--no-install', 'playwright', 'install', 'chromium'])
  }
  for (const { name, found, without = 'the tests that need it are skipped' } of missing) {
    if (found()) continue
    if (name === 'Chromium') {
      fail('No browser was found. Install Chromium or Google Chrome, or set CHROMIUM_PATH to one.')
    }
    console.log(`${name} is not installed: ${without}.`)
  }
}

function hasPostgres() {
  const home = '/usr/lib/postgresql'
  if (!existsSync(home)) return passes('postgres', ['--version'])
  return readdirSync(home).some((version) => existsSync(`${home}/${version}/bin/postgres`))
}

function changedAt(path) {
  return statSync(`${root}/${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function passes(command, args) {
  return spawnSync(command, args, { cwd: root }).status === 0
}

function run(command, args, env = process.env) {
  return spawnSync(command, args, { cwd: root, env, stdio: 'inherit' }).status === 0
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
