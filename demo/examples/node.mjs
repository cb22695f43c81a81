import { createServer } from 'node:http'
import { toNode } from '@pi-checkout/server/node'
import { checkout, PORT, render } from './shop.mjs'

const handle = toNode(checkout) // POST /checkout/handoff and GET /checkout/status
const server = createServer((request, response) =>
  handle(request, response, () => {
    const { html, setCookie } = render(request.headers.cookie)
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.setHeader('set-cookie', setCookie)
    response.end(html)
  }),
)
server.listen(PORT, () => console.log(`http://localhost:${PORT}`))
