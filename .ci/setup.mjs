// Brings what a bare machine lacks: dependencies always, a browser with --browser. Plain Node, no dependency.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const pnpm = 'pnpm@12.21.0'

checkNode()
installDependencies()
if (process.argv.includes('--browser')) installBrowser()

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  fail(`Node ${process.versions.node} is too old: this project needs Node 20.19 or newer.`)
}

function installDependencies() {
  if (changedAt('node_modules/.modules.yaml') > changedAt('pnpm-lock.yaml')) return
  console.log('Installing dependencies…')
  // Left in, npm hands these to npx, which then runs the outer command again.
  const { npm_config_call: _call, npm_config_package: _package, ...env } = process.env
  const args = ['--yes', pnpm, 'install', '--frozen-lockfile', '--trust-lockfile']
  if (!run('npx', args, env)) fail('The dependencies could not be installed; see the lines above.')
}

function installBrowser() {
  if (findBrowser()) return
  console.log('Installing a browser…')
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    const wait = ['-o', 'DPkg::Lock::Timeout=600']
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    run('apt-get', [...wait, 'update'], env)
    run('apt-get', [...wait, 'install', '-y', '--no-install-recommends', 'chromium'], env)
  } else {
    run('npx', ['--no-install', 'playwright', 'install', 'chromium'])
  }
  if (findBrowser()) return
  fail(
    'No browser was found. Install Chromium or Google Chrome, or set CHROMIUM_PATH to the program of one.',
  )
}

function findBrowser() {
  const script = fileURLToPath(new URL('browser.mjs', import.meta.url))
  return spawnSync(process.execPath, [script], { cwd: root }).status === 0
}

function changedAt(path) {
  return statSync(`${root}/${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function run(command, args, env = process.env) {
  return spawnSync(command, args, { cwd: root, env, stdio: 'inherit' }).status === 0
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
