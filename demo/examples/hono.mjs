import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { checkout, PORT, render } from './shop.mjs'

const app = new Hono()
app.all('/checkout/*', (context) => checkout(context.req.raw)) // A checkout is Request → Response.
app.get('/', (context) => {
  const { html, setCookie } = render(context.req.header('cookie'))
  return context.html(html, 200, { 'set-cookie': setCookie })
})
serve({ fetch: app.fetch, port: Number(PORT) }, () => console.log(`http://localhost:${PORT}`))
