import { expect, test } from 'vitest'
import { commandsOf, errorOf } from './commands.mjs'

const wrong = {
  'npm run make-coffee': 'no package.json has the script "make-coffee"',
  'npx frobnicate': 'no package has the program frobnicate',
  'npx pi-service begin': 'pi-service has no command begin',
  'npx pi-service start --prot 4001': 'pi-service has no option --prot',
  'PI_API_KEY=x npx pi-checkout create --price 1': 'pi-checkout has no option --price',
  'node demo/dist/serve.mjs': 'there is no demo/dist/serve.mjs',
  'npx vitest run --root demo test/no.test.ts': 'there is no demo/test/no.test.ts',
}

test.each(Object.entries(wrong))(
  'reports a command that does not exist: %s',
  (line, error) => {
    const [command] = commandsOf(line)
    expect(errorOf(command, { path: 'README.md', files: [] })).toBe(error)
  },
  30_000,
)

test('splits a script into commands as a shell would', () => {
  const commands = commandsOf(`cd demo && npm start # at once
A=1 B=two node \\
  x.mjs "one word" | tail; npm test`)
  expect(commands.map(({ program, args }) => [program, ...args])).toEqual([
    ['cd', 'demo'],
    ['npm', 'start'],
    ['node', 'x.mjs', 'one word'],
    ['tail'],
    ['npm', 'test'],
  ])
})
