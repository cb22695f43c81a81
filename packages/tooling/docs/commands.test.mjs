// The rules that the documents are held to are themselves held to a lie each.
import { expect, test } from 'vitest'
import { commandsOf, faultOf } from './commands.mjs'
import { anchorsOf, linksOf } from './documents.mjs'
import { languages } from './languages.mjs'

const lies = {
  'npm run make-coffee': 'no package.json has the script "make-coffee"',
  'npm install @pi-checkout/client': '@pi-checkout/client is no package that the repository knows',
  'npx pi-service begin': 'pi-service has no command begin',
  'npx pi-service start --prot 4001': 'pi-service has no option --prot',
  'PI_API_KEY=x npx pi-checkout create --price 1': 'pi-checkout has no option --price',
  'npx pi-service exec -- frobnicate': 'no rule covers "frobnicate"',
  'node demo/dist/serve.mjs': 'there is no demo/dist/serve.mjs',
  'npx vitest run --root demo test/no.test.ts': 'there is no demo/test/no.test.ts',
  'frobnicate --hard':
    'no rule of packages/tooling/docs/commands.mjs covers the program "frobnicate"',
}
for (const [line, fault] of Object.entries(lies)) {
  test(`a command that nobody could type is told: ${line}`, { timeout: 30_000 }, () => {
    const [command] = commandsOf(line)
    expect(faultOf(command, { path: 'README.md', names: [] })).toBe(fault)
  })
}

test('a script is read command by command, as a shell would', () => {
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

test('markup with a wrong attribute, a wrong nesting or broken data is told', () => {
  const told = [
    languages.html({ code: '<pi-checkout amount="5"></pi-checkout>' }),
    languages.html({ code: '<p><b>no end</p>' }),
    languages.headers({ code: 'no header\n' }),
    languages.nginx({ code: 'location / {\n  proxy_pass x\n}\n' }),
  ]
  expect(told).toEqual([
    '<pi-checkout> has no attribute amount',
    '</p> stands where </b> is due',
    'is no header: no header',
    'a directive ends with a semicolon or a brace: proxy_pass x',
  ])
  expect(() => languages.json({ code: '{ a: 1 }' })).toThrow()
  expect(languages.html({ code: '<pi-checkout intent-id="pi_1" class="x"></pi-checkout>' })).toBe(
    undefined,
  )
})

test('headings become the anchors of GitHub, and every kind of link is seen', () => {
  const prose = '# One `pi-x` two!\n## Same\n## Same\n[a](b.md#c) <img src="p.svg"> `[not](this)`\n'
  expect([...anchorsOf({ prose })]).toEqual(['one-pi-x-two', 'same', 'same-1'])
  expect(linksOf({ prose })).toEqual(['b.md#c', 'p.svg'])
})
