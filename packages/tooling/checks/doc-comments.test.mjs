// Public options state their default, public functions show an example, and public members of classes have a comment,
// in the declarations that npm publishes.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@pi-checkout/test-support/process'
import { parseSync } from 'vite'
import { expect, test } from 'vitest'
import { published } from '../pack.mjs'

test.each(published)('%s: documents defaults and examples', (name) => {
  const dist = join(root, 'packages', name, 'dist')
  const files = readdirSync(dist, { recursive: true }).filter((file) => file.endsWith('.d.ts'))
  expect(files).not.toEqual([])
  expect(files.flatMap((file) => missingIn(join(dist, file)))).toEqual([])
})

function missingIn(file) {
  const text = readFileSync(file, 'utf8')
  const { program, comments } = parseSync(file, text)
  const commentOf = ({ start }) => {
    const before = comments.filter(
      ({ end }) => end <= start && text.slice(end, start).trim() === '',
    )
    return before.at(-1)?.value ?? ''
  }
  return program.body.flatMap((statement) => {
    const declaration = statement.declaration ?? statement
    const { type, id, body } = declaration
    if (/Function$/.test(type)) {
      return commentOf(statement).includes('@example') ? [] : [`${id.name}() has no @example`]
    }
    if (type === 'ClassDeclaration') {
      return body.body
        .filter((member) => isOwn(member) && commentOf(member) === '')
        .map((member) => `${id.name}.${member.key.name} has no comment`)
    }
    if (type !== 'TSInterfaceDeclaration' || !/Options$/.test(id.name)) return []
    return body.body
      .filter((member) => member.optional && !commentOf(member).includes('@default'))
      .map((member) => `${id.name}.${member.key.name} has no @default`)
  })
}

/** Whether merchants use a member of a class. Its other names are those of the platform and of Lit. */
function isOwn({ kind, static: isStatic, accessibility, key }) {
  if (isStatic || accessibility || /^(?:set|constructor)$/.test(kind)) return false
  return key.type === 'Identifier' && !/^(?:name|type|\w+Callback)$/.test(key.name)
}
