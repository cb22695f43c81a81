import { toFastify } from '@pi-checkout/server/node'
import fastify from 'fastify'
import { checkout, PORT, render } from './shop.mjs'

const app = fastify()
app.all('/checkout/*', toFastify(checkout)) // POST /checkout/handoff and GET /checkout/status
app.get('/', (request, reply) => {
  const { html, setCookie } = render(request.headers.cookie)
  return reply.type('text/html').header('set-cookie', setCookie).send(html)
})
await app.listen({ port: Number(PORT), host: 'localhost' })
console.log(`http://localhost:${PORT}`)
