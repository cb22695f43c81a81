// `npm start`: starts the service and the demo shop, and stops both together.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const data = join(root, '.data')
const piService = join(root, 'packages/service/bin/pi-service.mjs')
const defaultShop = 'http://localhost:3000'

const help = `Usage: npm start

Builds what has changed, and starts the service, its inspector, and the demo shop. Prints their addresses
and an API key. Ctrl-C stops everything. Orders and intents are stored in .data.

Environment variable PORT: port of the shop (default 3000). The service has the ports 4000 and 4001.

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

console.log('Building what has changed, which can take a minute…')
const built = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, encoding: 'utf8' })
if (built.status !== 0) {
  console.error(`${built.stdout}${built.stderr}`)
  process.exit(1)
}

mkdirSync(data, { recursive: true })
const serviceData = join(data, 'service')
const service = await start('the service', [piService, 'start', '--json', '--data', serviceData])
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
  Service      ${service.baseUrl}
  Inspector    ${service.inspectorUrl}
  API key      ${service.apiKey}

  Test cards, with any future date and any security code:
    4242 4242 4242 4242   succeeds
    4000 0000 0000 0002   is declined
    4000 0000 0000 3220   asks for a code: 1234 approves, 0000 denies

  Ctrl-C stops everything. Orders and intents are stored in .data; delete that folder to start over.
`)

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
