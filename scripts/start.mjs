// `npm start`: starts the service and the demo shop, and stops both together.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const data = join(root, '.data')
const piService = join(root, 'packages/service/bin/pi-service.mjs')
const defaultShop = 'http://localhost:3000'

const help = `Usage: npm start

Builds what has changed, and starts the service, its inspector, and the demo shop. Prints their addresses
and an API key. Ctrl-C stops everything. Orders and intents are stored in .data.

Environment variables:
  PORT                     Port of the shop (default 3000)
  SERVICE_PORT             Port of the service (default 4000); its test bank has the next one
  PI_SHOP_STAFF_PASSWORD   Password of the shop's staff (default: a new one for each start)

The service alone:   npx pi-service start --help
Try your own shop:   npx pi-explore --help`

const [argument] = process.argv.slice(2)
if (argument !== undefined) {
  const isHelp = ['--help', '-h', 'help'].includes(argument)
  console.log(isHelp ? help : `npm start has no option ${argument}.\n\n${help}`)
  process.exit(isHelp ? 0 : 1)
}

const children = []
let stopping = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(0))

await build()

mkdirSync(data, { recursive: true })
const serviceData = join(data, 'service')
const port = process.env.SERVICE_PORT ? ['--port', process.env.SERVICE_PORT] : []
const command = [piService, 'start', '--json', '--data', serviceData, ...port]
const service = await start('the service', command)
const shop = await start('the shop', [join(root, 'demo/dist/server/main.js'), '--json'], {
  PI_API_KEY: service.apiKey,
  PI_BASE_URL: service.baseUrl,
  PI_CHECKOUT_ORIGIN: service.checkoutOrigin,
  PI_SHOP_DATA: join(data, 'shop'),
})
if (shop.shopUrl !== defaultShop) {
  const add = [piService, 'origins', 'add', shop.shopUrl, '--data', serviceData]
  const { status } = spawnSync(process.execPath, add, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) await stop(1)
}
console.log(`
  Demo shop    ${shop.shopUrl}
  Its staff    ${shop.staff.url}   user ${shop.staff.user}, password ${shop.staff.password ?? 'of PI_SHOP_STAFF_PASSWORD'}
  Service      ${service.baseUrl}
  Inspector    ${service.inspectorUrl}
  API key      ${service.apiKey}

  Test cards, with any future date and any security code:
    4242 4242 4242 4242   succeeds
    4000 0000 0000 0002   is declined
    4000 0000 0000 3220   asks for a code: 1234 approves, 0000 denies

  Ctrl-C stops everything. Orders and intents are stored in .data; delete that folder to start over.
`)

/** Builds the packages, and prints a dot every two seconds. */
async function build() {
  process.stdout.write('Building what has changed, which can take a minute ')
  const dots = setInterval(() => process.stdout.write('.'), 2000)
  const child = spawn(process.execPath, ['scripts/build.mjs'], { cwd: root })
  children.push(child)
  const output = [child.stdout, child.stderr].map((stream) => text(stream))
  const [code] = await once(child, 'close')
  clearInterval(dots)
  console.log(code === 0 ? ' done' : '')
  if (code === 0 || stopping) return
  console.error((await Promise.all(output)).join(''))
  process.exit(1)
}

/** Starts a program. Returns the JSON that it prints when it is ready. */
function start(name, args, variables = {}) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  child.on('exit', (code) => {
    if (stopping) return
    console.error(`${name} exited unexpectedly (${code ?? 'killed'}). See the lines above.`)
    void stop(1)
  })
  return new Promise((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      if (line.startsWith('{')) resolve(JSON.parse(line))
    })
  })
}

async function stop(code) {
  if (stopping) return
  stopping = true
  const running = children.filter(({ exitCode, signalCode }) => exitCode === null && !signalCode)
  for (const child of running) child.kill('SIGTERM')
  await Promise.all(running.map((child) => once(child, 'exit')))
  process.exit(code)
}
