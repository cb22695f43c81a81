// What npm would publish: packed, unpacked beside its dependencies, and imported as a stranger would.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const rooms = ['contract', 'server', 'element', 'service']
const home = mkdtempSync(join(tmpdir(), 'pi-packages-'))

const tarballs = new Map()

beforeAll(() => {
  for (const room of rooms) {
    const packed = run(
      'npx',
      ['--yes', 'pnpm@12.21.0', 'pack', '--json', '--pack-destination', home],
      {
        cwd: join(root, 'packages', room),
      },
    )
    const { filename } = [JSON.parse(packed.stdout)].flat()[0]
    tarballs.set(room, filename)
    install(room, filename)
  }
}, 120_000)

afterAll(() => rmSync(home, { recursive: true, force: true }))

for (const room of rooms) {
  test(`${room}: the package holds its listed folders and nothing else`, () => {
    const { stdout } = run('tar', ['-tzf', tarballs.get(room)])
    const allowed =
      /^package\/(?:dist|src|bin)\/|^package\/(?:package\.json|README\.md|LICENSE|custom-elements\.json|[\w.-]+-data\.json|idempotency-key\.vectors\.json)$/
    const files = stdout.trim().split('\n')
    expect(files.filter((file) => !allowed.test(file))).toEqual([])
    expect(files.filter((file) => /\.map$|\.env|\.test\./.test(file))).toEqual([])
    expect(files).toContain('package/LICENSE')
    expect(files).toContain('package/README.md')
  })

  test(`${room}: the manifest names no workspace, catalog or source condition`, () => {
    const manifest = readFileSync(join(installed(room), 'package.json'), 'utf8')
    expect(manifest).not.toMatch(/workspace:|catalog:|"source"/)
  })

  test(`${room}: every entry is there, and imports in plain Node without a side effect`, () => {
    const { name, exports = {}, bin = {} } = manifestOf(room)
    const entries = Object.keys(exports).filter((entry) => !entry.endsWith('.json'))
    for (const target of Object.values(bin))
      expect(existsSync(join(installed(room), target))).toBe(true)
    for (const entry of entries) {
      const specifier = join(name, entry)
      const { stdout } = run(
        process.execPath,
        ['--input-type=module', '--eval', `await import('${specifier}'); console.log('in')`],
        { cwd: home },
      )
      expect([specifier, stdout]).toEqual([specifier, 'in\n'])
    }
  })
}

function install(room, tarball) {
  const target = installed(room)
  mkdirSync(target, { recursive: true })
  run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1'])
  const { dependencies = {}, peerDependencies = {} } = manifestOf(room)
  for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
    const link = join(home, 'node_modules', name)
    const source = join(root, 'packages', room, 'node_modules', name)
    if (name.startsWith('@pi-checkout/') || existsSync(link) || !existsSync(source)) continue
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(source, link)
  }
}

function installed(room) {
  return join(home, 'node_modules/@pi-checkout', room)
}

function manifestOf(room) {
  return JSON.parse(readFileSync(join(installed(room), 'package.json'), 'utf8'))
}

function run(command, args, options = {}) {
  const done = spawnSync(command, args, { encoding: 'utf8', ...options })
  if (done.status !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${done.stdout}${done.stderr}`)
  return done
}
