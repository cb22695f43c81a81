// Whether a shell command of a document could be typed as it stands: the program, its commands and options exist.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './documents.mjs'

const ours = {
  'pi-service': 'packages/service/bin/pi-service.mjs',
  'pi-checkout': 'packages/server/bin/pi-checkout.mjs',
}

/** Splits a script into its commands: continued lines joined, comments and variables in front apart. */
export function commandsOf(script) {
  const joined = script.replace(/\\\n\s*/g, ' ')
  return joined
    .split('\n')
    .flatMap((line) => splitOutsideQuotes(line.replace(/(^|\s)#(?!\w*').*$/, '')))
    .map((text) => text.trim())
    .filter(Boolean)
    .map(parse)
}

/** @returns What is wrong with the command, or `undefined`. */
export function faultOf(command, { path, names }) {
  const { program, args } = command
  if (program === undefined) return undefined // Variables alone.
  const rule = rules[program]
  if (!rule) return `no rule of packages/tooling/docs/commands.mjs covers the program "${program}"`
  return rule(args, { path, names, ...command })
}

const rules = {
  npm(args, context) {
    const [verb, ...rest] = args.filter((arg) => !arg.startsWith('-'))
    if (verb === 'init' || verb === 'ci') return undefined
    if (verb === 'install') return rest.map(installable).find(Boolean)
    if (['start', 'test'].includes(verb)) return script(verb, context)
    if (verb === 'run') return script(rest[0], context)
    return `npm ${verb} is not known to the rules`
  },
  npx(args, context) {
    const [name = '', ...rest] = args.filter((arg, at) => at > 0 || arg !== '--yes')
    if (name === '@pi-checkout/service') return ourFault('pi-service', rest)
    if (name in ours) return ourFault(name, rest, context)
    const bins = ['.', 'packages/server', 'packages/element', 'packages/service', 'demo']
    const found = bins.some((room) => existsSync(join(root, room, 'node_modules/.bin', name)))
    if (!found) return `npx ${name}: no package of the repository has this program`
    return missingPath(rest, context)
  },
  node(args, context) {
    const file = args.find((arg) => !arg.startsWith('-'))
    if (args.some((arg) => ['-p', '-e', '--eval', '--test'].includes(arg))) return undefined
    return file === undefined ? undefined : missingFile(file, context)
  },
  cd: ([folder], context) => missingFile(folder, context),
  git: ([verb]) => (['clone', 'switch'].includes(verb) ? undefined : `git ${verb} is not known`),
  mkdir: () => undefined,
  export: () => undefined,
  openssl: ([verb]) => (verb === 'rand' ? undefined : `openssl ${verb} is not known`),
  // Sent to a running service by the test.
  curl: () => undefined,
  docker(args, context) {
    const after = (flag) => args.flatMap((arg, at) => (arg === flag ? [args[at + 1]] : []))
    const files = [...after('-f'), ...after('--file')]
    if (!['build', 'run', 'compose', 'exec'].includes(args[0]))
      return `docker ${args[0]} is not known`
    return files.map((file) => missingFile(file, context)).find(Boolean)
  },
  ...Object.fromEntries(
    ['pg_dump', 'pg_restore', 'psql', 'createdb', 'tar', 'cp', 'rsync', 'systemctl'].map((name) => [
      name,
      () => undefined,
    ]),
  ),
}

/** Commands and options against the program's own help. */
export function ourFault(name, args) {
  const words = args.slice(0, indexOr(args, '--'))
  const [command, second] = words.filter((word) => !word.startsWith('-'))
  const help = helpOf(name, [command, second])
  for (const option of words.filter((word) => /^--?[a-z]/.test(word))) {
    const [bare] = option.split('=')
    if (['--help', '--version'].includes(bare)) continue
    if (!new RegExp(`(?<![\\w-])${bare}(?![\\w-])`).test(help))
      return `${name} has no option ${bare}`
  }
  if (command && !new RegExp(`(?<![\\w-])${command}(?![\\w-])`).test(helpOf(name, []))) {
    return `${name} has no command ${command}`
  }
  const rest = args.slice(indexOr(args, '--') + 1)
  if (rest.length === 0 || !(name === 'pi-service')) return undefined
  // `pi-service exec -- npm test`: what follows is a command of its own.
  return rest[0] in rules ? undefined : `no rule covers "${rest[0]}"`
}

const helps = new Map()

function helpOf(name, commands) {
  const words = name === 'pi-service' ? commands.filter((word) => /^[a-z]+$/.test(word ?? '')) : []
  const id = [name, ...words].join(' ')
  if (!helps.has(id)) {
    const bin = join(root, ours[name])
    const { stdout, stderr } = spawnSync(process.execPath, [bin, ...words, '--help'], {
      encoding: 'utf8',
    })
    helps.set(id, stdout + stderr)
  }
  return helps.get(id)
}

function script(name, { path, cwd = dirname(path) }) {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const file = join(root, folder, 'package.json')
    if (existsSync(file)) {
      const { scripts = {} } = JSON.parse(readFileSync(file, 'utf8'))
      if (name in scripts) return undefined
    }
    if (folder === '.') return `no package.json has the script "${name}"`
  }
}

function installable(spec) {
  if (spec.endsWith('.tgz')) return undefined // Tried by packages.test.mjs.
  const name = spec.replace(/(?<=.)@[^@/]+$/, '')
  const rooms = readdirSync(join(root, 'packages'))
  const own = rooms.map((room) => `@pi-checkout/${room}`)
  if (own.includes(name)) return undefined
  const lock = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')
  const known = new RegExp(`^  '?${name.replaceAll(/[./]/g, '\\$&')}@\\d`, 'm').test(lock)
  return known ? undefined : `${name} is no package that the repository knows`
}

function missingPath(args, context) {
  const below = args[args.indexOf('--root') + 1]
  const paths = args.flatMap((arg) => {
    if (/^(?:packages|demo|e2e|\.ci)\b/.test(arg)) return [arg]
    return args.includes('--root') && /^test\//.test(arg) ? [`${below}/${arg}`] : []
  })
  return paths.map((path) => missingFile(path, context)).find(Boolean)
}

function missingFile(file = '', { path, names }) {
  const bare = file.replace(/^\.\//, '')
  if (names.includes(bare) || bare.startsWith('..') || /^[a-z-]+$/.test(bare)) return undefined
  const places = [root, join(root, dirname(path))]
  return places.some((place) => existsSync(join(place, bare))) ? undefined : `there is no ${file}`
}

function indexOr(list, item) {
  const at = list.indexOf(item)
  return at === -1 ? list.length : at
}

function splitOutsideQuotes(line) {
  const parts = ['']
  let quote
  for (let at = 0; at < line.length; at++) {
    const char = line[at]
    if (quote) {
      if (char === quote) quote = undefined
    } else if (char === '"' || char === "'") quote = char
    else if (/^(?:&&|\|\||;|\||&)/.test(line.slice(at))) {
      if (line[at + 1] === char) at++
      parts.push('')
      continue
    }
    parts[parts.length - 1] += char
  }
  return parts
}

function parse(text) {
  const words = text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []
  const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word))
  const [program, ...args] = (first === -1 ? [] : words.slice(first)).map(unquoted)
  return { text, program, args }
}

function unquoted(word) {
  return word.replace(/^(["'])(.*)\1$/, '$2')
}
