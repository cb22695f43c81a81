import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { toNode } from '@pi-checkout/server/node'
import { checkout, PORT, render } from './shop.mjs'

class App {}
Module({})(App) // In TypeScript: `@Module({}) class App {}`.
const app = await NestFactory.create(App, { logger: ['error', 'warn'] })
app.use(toNode(checkout)) // POST /checkout/handoff and GET /checkout/status
app.getHttpAdapter().get('/', (request, response) => {
  const { html, setCookie } = render(request.headers.cookie)
  response.set('set-cookie', setCookie).send(html)
})
await app.listen(PORT)
console.log(`http://localhost:${PORT}`)
