// Whether a shell command in a document exists: npm scripts, programs of packages, files, and our programs' options.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../files.mjs'

const programs = {
  'pi-service': 'packages/service/bin/pi-service.mjs',
  'pi-checkout': 'packages/server/bin/pi-checkout.mjs',
  'pi-explore': 'packages/explorer/bin/pi-explore.mjs',
}

/** Splits a script into commands: joins continued lines, and drops comments and leading variables. */
export function commandsOf(script) {
  return script
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .flatMap(
      (line) =>
        line.replace(/(^|\s)#(?!\w*').*$/, '').match(/(?:[^"'|;&]|"[^"]*"|'[^']*')+/g) ?? [],
    )
    .map((text) => text.trim())
    .filter(Boolean)
    .map((text) => {
      const words = text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []
      const start = words.findIndex((word) => !/^[A-Z_]+=/.test(word))
      const [program, ...args] = start === -1 ? [] : words.slice(start)
      return { text, program, args: args.map((arg) => arg.replace(/^(["'])(.*)\1$/, '$2')) }
    })
}

/** Returns what is wrong with a command in a document, or `undefined`. `files` are the names that it shows. */
export function errorOf({ program, args }, { path, files }) {
  const names = args.filter((arg) => !arg.startsWith('-'))
  if (program === 'npm') {
    const script = names[0] === 'run' ? names[1] : names[0]
    return names[0] === 'run' || /^(?:start|test)$/.test(script)
      ? scriptError(script, path)
      : undefined
  }
  if (program === 'cd' || program === 'node') {
    const inline = args.some((arg) => /^(?:-p|-e|--eval|--test)$/.test(arg))
    return inline ? undefined : fileError(names[0], { path, files })
  }
  if (program !== 'npx') return undefined
  const [name = '', ...rest] = args.filter((arg) => arg !== '--yes')
  const own = name.replace('@pi-checkout/service', 'pi-service')
  if (own in programs) return programError(own, rest)
  const folders = ['.', 'packages/element', 'packages/service', 'demo']
  const isInstalled = folders.some((at) => existsSync(join(root, at, 'node_modules/.bin', name)))
  if (!isInstalled && !name.includes('@')) return `no package has the program ${name}`
  const below = rest.includes('--root') ? rest[rest.indexOf('--root') + 1] : '.'
  const paths = rest.filter((arg) => /\.test\.m?ts$/.test(arg)).map((arg) => join(below, arg))
  return paths.map((file) => fileError(file, { path, files })).find(Boolean)
}

/** Compares commands and options with the help of one of our programs. */
export function programError(name, args) {
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  const [command, second] = own.filter((word) => !word.startsWith('-'))
  const has = (help, word) => new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(help)
  const words = [command, second].filter((word) => /^[a-z]+$/.test(word ?? ''))
  const help = helpOf(name, name === 'pi-service' ? words : [])
  for (const option of own.filter((word) => /^--?[a-z]/.test(word))) {
    const [bare] = option.split('=')
    if (!/^--(?:help|version)$/.test(bare) && !has(help, bare))
      return `${name} has no option ${bare}`
  }
  return command && !has(helpOf(name, []), command)
    ? `${name} has no command ${command}`
    : undefined
}

const helps = new Map()

function helpOf(name, words) {
  const id = [name, ...words].join(' ')
  if (!helps.has(id)) {
    const args = [join(root, programs[name]), ...words, '--help']
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    helps.set(id, stdout + stderr)
  }
  return helps.get(id)
}

function scriptError(name, path) {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const file = join(root, folder, 'package.json')
    if (existsSync(file) && name in (JSON.parse(readFileSync(file, 'utf8')).scripts ?? {}))
      return undefined
    if (folder === '.') return `no package.json has the script "${name}"`
  }
}

function fileError(file = '', { path, files }) {
  const bare = file.replace(/^\.\//, '')
  if (files.includes(bare) || bare.startsWith('..') || /^[a-z-]*$/.test(bare)) return undefined
  const folders = [root, join(root, dirname(path))]
  return folders.some((at) => existsSync(join(at, bare))) ? undefined : `there is no ${file}`
}
