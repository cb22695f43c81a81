// What must hold of a block in a language that is neither run nor type-checked. Each returns a fault or nothing.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from './documents.mjs'

const require = createRequire(join(root, 'packages/element/package.json'))

/** @returns The scripts of a page, to be checked as modules. */
export function scriptsOf({ code, ...block }) {
  const scripts = code.matchAll(/<script(?![^>]* src=)[^>]*>([\s\S]*?)<\/script>/g)
  return [...scripts].map(({ 1: script, index }) => {
    const before = code.slice(0, index).split('\n').length - 1
    return { ...block, name: undefined, line: block.line + before, code: script }
  })
}

export const languages = {
  html,
  css,
  json,
  svelte,
  vue,
  yaml,
  dockerfile,
  nginx,
  caddy,
  http,
  headers,
}

const empty = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))
const everywhere = /^(?:id|class|slot|style|lang|dir|hidden|title|role|tabindex|data-.+|aria-.+)$/

function html({ code }) {
  const known = elementAttributes()
  const open = []
  const bare = code
    .replace(/<!--[\s\S]*?-->|<!doctype html>/gi, '')
    .replace(/(<(script|style)\b[^>]*>)[\s\S]*?(<\/\2>)/g, '$1$3')
  for (const [, slash, tag, attributes] of bare.matchAll(
    /<(\/?)([a-z][a-z0-9-]*)((?:"[^"]*"|[^>"])*)>/g,
  )) {
    if (slash) {
      const expected = open.pop()
      if (expected !== tag) return `</${tag}> stands where </${expected}> is due`
      continue
    }
    if (!empty.has(tag)) open.push(tag)
    if (tag !== 'pi-checkout') continue
    for (const [, name] of attributes.matchAll(/\s([^\s=]+)(?:="[^"]*")?/g)) {
      if (!known.has(name) && !everywhere.test(name))
        return `<pi-checkout> has no attribute ${name}`
    }
  }
  return open.length === 0 ? undefined : `<${open.at(-1)}> is not closed`
}

function elementAttributes() {
  const manifest = JSON.parse(
    readFileSync(join(root, 'packages/element/custom-elements.json'), 'utf8'),
  )
  const [element] = manifest.modules[0].declarations
  return new Set(['client-secret', ...element.attributes.map(({ name }) => name)])
}

function css({ code }) {
  const vite = createRequire(require.resolve('vite'))
  vite('lightningcss').transform({ filename: 'block.css', code: Buffer.from(code) })
}

function json({ code }) {
  JSON.parse(code)
}

function svelte({ code }) {
  const { warnings } = require('svelte/compiler').compile(code, { filename: 'block.svelte' })
  return warnings[0]?.message
}

function vue({ code }) {
  const { descriptor, errors } = require('vue/compiler-sfc').parse(code)
  if (errors.length > 0) return String(errors[0])
  if (descriptor.scriptSetup) require('vue/compiler-sfc').compileScript(descriptor, { id: 'block' })
}

// Structure alone: indentation by twos without tabs, and `key: value`, `- item` or a continued text.
function yaml({ code }) {
  const wrong = code
    .split('\n')
    .find((line) => /^\s*\t|^(?: {2})* \S/.test(line) && !/^ *#/.test(line))
  return wrong && `is indented otherwise than by twos: ${wrong}`
}

function dockerfile({ code }) {
  const instruction =
    /^(?:FROM|RUN|COPY|WORKDIR|ENV|ARG|USER|EXPOSE|CMD|ENTRYPOINT|VOLUME|HEALTHCHECK|LABEL|#)\b/
  const lines = code.replace(/\\\n/g, ' ').split('\n').filter(Boolean)
  const wrong = lines.find((line) => !instruction.test(line) && !line.startsWith('#'))
  return wrong && `no instruction of a Dockerfile: ${wrong}`
}

function nginx({ code }) {
  const lines = code
    .split('\n')
    .map((line) => line.replace(/#.*$/, '').trim())
    .filter(Boolean)
  const wrong = lines.find((line) => !/[;{}]$/.test(line))
  if (wrong) return `a directive ends with a semicolon or a brace: ${wrong}`
  return count(code, '{') === count(code, '}') ? undefined : 'the braces do not match'
}

function caddy({ code }) {
  return count(code, '{') === count(code, '}') ? undefined : 'the braces do not match'
}

// A request to the service or an answer of it; docs.test.mjs sends the one and compares the other.
function http(block) {
  const { first, lines, body } = readHttp(block)
  if (!/^(?:(?:GET|POST|PUT|DELETE) \/\S* HTTP\/1\.1|HTTP\/1\.1 \d{3} .+)$/.test(first)) {
    return `begins with neither a request nor an answer: ${first}`
  }
  if (body) JSON.parse(body)
  return headers({ code: lines.join('\n') })
}

/** @returns The first line, the lines of headers, and the body, of a block of HTTP. */
export function readHttp({ code }) {
  const [head, ...rest] = code.split('\n\n')
  const [first, ...lines] = head.split('\n').filter(Boolean)
  return { first, lines, body: rest.join('\n\n').trim() || undefined }
}

// `e2e/security` holds those of the security guide against the shop.
function headers({ code }) {
  const lines = code.split('\n').filter(Boolean)
  const wrong = lines.find((line) => !/^[A-Z][\w-]*: \S/.test(line))
  return wrong && `is no header: ${wrong}`
}

function count(text, char) {
  return text.split(char).length - 1
}
