import { toKoa } from '@pi-checkout/server/node'
import Koa from 'koa'
import { checkout, PORT, render } from './shop.mjs'

const app = new Koa()
app.use(toKoa(checkout)) // POST /checkout/handoff and GET /checkout/status
app.use((ctx) => {
  const { html, setCookie } = render(ctx.get('cookie'))
  ctx.set('set-cookie', setCookie)
  ctx.type = 'html'
  ctx.body = html
})
app.listen(PORT, () => console.log(`http://localhost:${PORT}`))
