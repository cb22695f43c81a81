// Adds what the published service contains besides its code: the element and compressed files.
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const hosted = 'dist/hosted'
const element = '../element/dist/pi-checkout.js'
const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
copyFileSync(element, join(hosted, 'pi-checkout.js'))
copyFileSync(element, join(hosted, `pi-checkout-${version}.js`))
// Pages that name an earlier version, with its `integrity`, get that one.
for (const name of readdirSync('releases').filter((file) => file.endsWith('.js'))) {
  copyFileSync(join('releases', name), join(hosted, name))
}

for (const name of readdirSync(hosted, { recursive: true })) {
  const file = join(hosted, name)
  if (!/\.(?:js|css)$/.test(name) || !statSync(file).isFile()) continue
  const bytes = readFileSync(file)
  writeFileSync(`${file}.br`, brotliCompressSync(bytes))
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}
