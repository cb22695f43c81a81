// Sessions and routes of the test shops.
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

/** Serves routes such as `GET /`, each with the buyer's session, the query, and the parsed body. */
export function serve(routes, { other, exits = false } = {}) {
  const respond = async (request, response) => {
    const { pathname, searchParams: query } = new URL(request.url, 'http://localhost')
    const [, known] = /session=(\w+)/.exec(request.headers.cookie ?? '') ?? []
    const session = known ?? randomBytes(8).toString('hex')
    const route = routes[`${request.method} ${pathname}`]
    request.session = session
    if (exits && request.method === 'POST') request.body = JSON.parse(await text(request))
    if (!route && other) return await other(request, response)
    const sent = request.method === 'POST' && !exits ? await text(request) : ''
    const isForm = request.headers['content-type']?.includes('form')
    const parsed = isForm ? Object.fromEntries(new URLSearchParams(sent)) : JSON.parse(sent || '{}')
    const body = request.body ?? parsed
    const result = route ? await route({ session, query, body }) : { status: 404 }
    response.writeHead(result.status ?? 200, {
      'content-type': result.text ? 'text/html' : 'application/json',
      'set-cookie': `session=${session}; Path=/; HttpOnly; SameSite=Lax`,
    })
    response.end(result.text ?? JSON.stringify(result.body ?? {}))
  }
  createServer(async (request, response) => {
    if (exits) return await respond(request, response)
    try {
      await respond(request, response)
    } catch {
      if (!response.headersSent) response.writeHead(500)
      response.end()
    }
  }).listen(process.env.PORT)
}

/** Calls a function every 50 ms, each time after the last call has ended. */
export function repeat(call) {
  setTimeout(async () => {
    try {
      await call()
    } catch {}
    repeat(call)
  }, 50)
}

/** The page, as far as a buyer without scripts needs it. */
export const pageOf = (order, data = {}) =>
  `<pi-checkout data-order="${order.id}" data-amount="${order.amount}"></pi-checkout><script type="application/json">${JSON.stringify(data)}</script>`
