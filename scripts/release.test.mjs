import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from './files.mjs'
import { published } from './pack.mjs'

const read = (path) => readFileSync(join(root, path), 'utf8')
const release = read('.github/workflows/release.yml')
const workflows = [release, read('.github/workflows/ci.yml')]
const images = [read('packages/service/Dockerfile'), read('packages/service/compose.yaml')]

test('actions are pinned by commit, images by digest', () => {
  const actions = workflows.flatMap((text) => valuesOf(/uses: (.+)/g, text))
  const ours = './.github/workflows/ci.yml'
  expect(actions).toContain(ours)
  for (const action of actions.filter((action) => action !== ours)) {
    expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  }
  const names = images.flatMap((text) => valuesOf(/(?:^FROM|image:) (\S+)/gm, text))
  expect(names).toHaveLength(3)
  for (const name of names) expect(name).toMatch(/@sha256:[0-9a-f]{64}$/)
})

test('only the job that publishes has a credential, and it runs no code of the repository', () => {
  const [before, publish] = release.split('\n  publish:')
  expect(before).not.toContain('id-token')
  expect(release).not.toMatch(/secrets\.|TOKEN/)
  expect(publish).toContain('needs: [test, pack]')
  expect(publish).not.toMatch(/checkout@|npm (?:ci|install|run)|npx/)
})

test('the release publishes each package that npm does not have, if the tag is its version', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pi-release-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of published) packEmpty(folder, name)
  // npm has one of them already.
  const npm = `#!/bin/sh\n[ "$1 $2" = "view @pi-checkout/server@1.2.3" ] || { [ "$1" = publish ] && echo "$@"; }\n`
  writeFileSync(join(folder, 'npm'), npm, { mode: 0o755 })
  const [, script] = /run: \|\n([\s\S]+)$/.exec(release)
  const publish = (tag) => {
    const env = { ...process.env, PATH: [folder, process.env.PATH].join(delimiter) }
    Object.assign(env, { GITHUB_REF_NAME: tag })
    // As GitHub runs a step.
    const { status, stdout } = spawnSync('bash', ['-e', '-c', script], { cwd: folder, env })
    return [status, String(stdout).trim().split('\n')]
  }
  const options = '--access public --provenance'
  expect(publish('v1.2.3')).toEqual([
    0,
    ['element', 'explorer', 'service'].map((name) => `publish ./${name}-1.2.3.tgz ${options}`),
  ])
  expect(publish('v1.2.4')).toEqual([1, ['']])
})

/** Returns the first group of each match. */
function valuesOf(pattern, text) {
  return [...text.matchAll(pattern)].map(([, value]) => value)
}

/** Writes a tarball that contains a manifest only. */
function packEmpty(folder, name) {
  mkdirSync(join(folder, 'package'), { recursive: true })
  const manifest = { name: `@pi-checkout/${name}`, version: '1.2.3' }
  writeFileSync(join(folder, 'package/package.json'), JSON.stringify(manifest))
  spawnSync('tar', ['-czf', `${name}-1.2.3.tgz`, 'package'], { cwd: folder })
}
