import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'
import { expect, test } from '../fixtures/base-test.ts'

test('a page of a development server registers the tag, and its console has no word about Lit', async ({
  page,
  pageErrors,
}, { outputDir }) => {
  // Its connection for updates, which is off here.
  pageErrors.allow(/WebSocket/i)
  const lines: string[] = []
  page.on('console', (line) => lines.push(line.text()))
  const server = await createServer({
    configFile: false,
    root: fileURLToPath(new URL('shops', import.meta.url)),
    mode: 'development',
    logLevel: 'error',
    cacheDir: outputDir,
    server: { host: '127.0.0.1', port: 0, ws: false },
  })
  await server.listen()
  await page.goto(server.resolvedUrls?.local[0] ?? '')
  await expect(page.locator('pi-checkout:state(idle)')).toHaveCount(1)
  expect(lines.join()).not.toContain('Lit')
  await server.close()
})
