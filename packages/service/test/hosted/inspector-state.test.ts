import { expect, onTestFinished, test, vi } from 'vitest'
import { InspectorState } from '../../hosted/inspector/inspector-state.ts'

type Respond = (path: string) => Response | Promise<Response> | undefined

/** Connects a state to a fake service, without a browser. `sent` lists the requests since then. */
async function connect(respond: Respond): Promise<{ state: InspectorState; sent: string[] }> {
  const sent: string[] = []
  const lists = { intents: [], requests: [], keys: [], findings: [], rules: [] }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  vi.stubGlobal('fetch', async (url: string, { signal }: RequestInit) => {
    const path = url.replace('/_sandbox', '')
    signal?.addEventListener('abort', () => sent.push(`aborted ${path}`))
    sent.push(path)
    const response = await respond(path)
    if (response) return response
    if (path !== '/events') return Response.json({ ...lists, environments: [{ id: 'env_1' }] })
    const data = 'event: change\ndata: {"topics":["environments"]}\n\n'
    return new Response(
      new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from(data)) }),
    )
  })
  const state = new InspectorState(() => {})
  onTestFinished(() => {
    state.lock('')
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })
  state.unlock('a token')
  await vi.waitFor(() => expect(state.connection).toBe('live'))
  sent.length = 0
  return { state, sent }
}

test('searches when typing pauses and aborts the search before', async () => {
  let isHeld = true
  const { state, sent } = await connect((path) =>
    isHeld && path.includes('/intents?q=') ? new Promise(() => {}) : undefined,
  )
  const intents = '/environments/env_1/intents?q='
  for (const q of ['a', 'ab', 'abc']) void state.searchIntents({ q }, { typing: true })
  void state.searchRequests({ q: 'abc' }, { typing: true })
  await vi.advanceTimersByTimeAsync(249)
  expect(sent).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(sent).toEqual([`${intents}abc`, '/environments/env_1/requests?q=abc'])
  isHeld = false
  void state.searchIntents({ q: 'abcd' }, { typing: true })
  expect(sent.slice(2)).toEqual([`aborted ${intents}abc`])
  await vi.advanceTimersByTimeAsync(250)
  expect(sent.slice(3)).toEqual([`${intents}abcd`])
})

test('retries reads after 5xx responses but not after rejections', async () => {
  let status = 400
  const { state, sent } = await connect((path) =>
    path.includes('?q=') ? Response.json({ detail: 'Not now' }, { status }) : undefined,
  )
  await state.searchRequests({ q: 'x' })
  expect(state.readError).toBe('Not now')
  await vi.advanceTimersByTimeAsync(5000)
  expect(sent).toHaveLength(1)
  status = 500
  await state.searchRequests({ q: 'y' })
  await vi.advanceTimersByTimeAsync(5000)
  expect(sent.length).toBeGreaterThan(3)
})

test('ignores a late rejection of the previous token', async () => {
  let respond = (_response: Response): void => {}
  const rejection = new Promise<Response>((resolve) => {
    respond = resolve
  })
  const { state } = await connect((path) => (path.endsWith('/faults/1') ? rejection : undefined))
  const done = state.send('DELETE', '/faults/1')
  state.unlock('another token')
  respond(Response.json({}, { status: 401 }))
  expect(await done).toBeUndefined()
  await vi.waitFor(() => expect(state.connection).toBe('live'))
  expect(state.tokenError).toBeUndefined()
})

test('remembers the 2,000 intents that were read last', async () => {
  const pages = Array.from({ length: 12 }, (_, page) =>
    Array.from({ length: 200 }, (_, index) => ({ id: `pi_${page}_${index}` })),
  )
  const { state } = await connect((path) =>
    path.includes('?q=') ? Response.json({ intents: pages.shift() }) : undefined,
  )
  for (let count = pages.length; count > 0; count--) await state.searchIntents({ q: 'x' })
  expect(state.findIntent('pi_11_199')).toBeDefined()
  expect(state.findIntent('pi_2_0')).toBeDefined()
  expect(state.findIntent('pi_1_199')).toBeUndefined()
})
