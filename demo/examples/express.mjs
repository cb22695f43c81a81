import { toNode } from '@pi-checkout/server/node'
import express from 'express'
import { checkout, PORT, render } from './shop.mjs'

const app = express()
app.use(toNode(checkout)) // POST /checkout/handoff and GET /checkout/status
app.get('/', (request, response) => {
  const { html, setCookie } = render(request.headers.cookie)
  response.set('set-cookie', setCookie).send(html)
})
app.listen(PORT).on('listening', () => console.log(`http://localhost:${PORT}`))
