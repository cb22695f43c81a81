import { expect, test } from 'vitest'
import { openShop, startBrowserStack } from './browser.ts'

const stack = await startBrowserStack()

const entry = /checkout-assets\/checkout-/
const form = /checkout-assets\/form-/

test('opens the session before the script of the form arrives', async () => {
  await openShop(stack, {
    prepare: async (page) => {
      const opened = page.waitForResponse(/checkout-api\/session/)
      await page.route(form, async (route) => {
        await opened
        await route.continue()
      })
    },
  })
})

test('requests the script of the form before the first script arrives', async () => {
  await openShop(stack, {
    prepare: async (page) => {
      const requested = page.waitForRequest(form)
      await page.route(entry, async (route) => {
        await requested
        await route.continue()
      })
    },
  })
})

test('loads every script that the preloading page names, and no other', async () => {
  const response = await fetch(`${stack.checkout.nodeUrl}/v1/preload`)
  const named = [...(await response.text()).matchAll(/modulepreload" href="([^"]+)"/g)]
  const loaded = new Set<string>()
  await openShop(stack, {
    prepare: async (page) => {
      page.on('request', (request) => {
        const { pathname } = new URL(request.url())
        if (pathname.endsWith('.js')) loaded.add(pathname)
      })
    },
  })
  expect([...loaded].sort()).toEqual(named.map(([, path]) => path).sort())
})
