import { expect, onTestFinished, test, vi } from 'vitest'
import { InspectorState } from '../../hosted/inspector/inspector-state.ts'

type Respond = (path: string) => Response | Promise<Response> | undefined

/** Connects a state to a fake service, without a browser. `sent` lists the requests since then. */
async function connect(respond: Respond): Promise<{ state: InspectorState; sent: string[] }> {
  const sent: string[] = []
  const environments = [{ id: 'env_1' }]
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.stubGlobal('fetch', async (url: string) => {
    const path = url.replace('/_sandbox', '')
    sent.push(path)
    const body = path.includes('/intents') ? { intents: [], next: null } : { environments }
    return (await respond(path)) ?? Response.json(body)
  })
  const state = new InspectorState({
    requestUpdate: () => {},
    isScrolled: () => false,
    hasPanes: () => false,
    replace: () => {},
  })
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

test('searches when typing pauses, and shows no result of an earlier search', async () => {
  const results = new Map<string, (response: Response) => void>()
  const { state, sent } = await connect((path) =>
    path.includes('/intents?q=')
      ? new Promise((resolve) => results.set(path.slice(-3), resolve))
      : undefined,
  )
  const respondTo = async (q: string): Promise<void> => {
    await vi.waitFor(() => expect(results.has(`q=${q}`)).toBe(true))
    results.get(`q=${q}`)?.(Response.json({ intents: [{ id: `pi_${q}` }], next: null }))
  }
  state.searchIntents({ q: 'a' })
  state.searchIntents({ q: 'b' })
  await vi.advanceTimersByTimeAsync(99)
  expect(sent).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  await vi.waitFor(() => expect(results.size).toBe(1))
  state.searchIntents({ q: 'c' })
  await vi.advanceTimersByTimeAsync(100)
  await respondTo('c')
  await respondTo('b')
  await vi.waitFor(() => expect(state.lists.intents?.intents).toEqual([{ id: 'pi_c' }]))
  expect([...results.keys()]).toEqual(['q=b', 'q=c'])
})

test('continues a search until a page has a match, and then reads that page once a second', async () => {
  const pages: Readonly<Record<string, object>> = {
    '': { intents: [], next: 'pi_9' },
    pi_9: { intents: [], next: 'pi_5' },
    pi_5: { intents: [{ id: 'pi_2' }], next: 'pi_1' },
  }
  const { state, sent } = await connect((path) => {
    const { pathname, searchParams } = new URL(path, 'http://localhost')
    if (!pathname.endsWith('/intents')) return undefined
    return Response.json(pages[searchParams.get('before') ?? ''])
  })
  state.searchIntents({ q: 'A-1' })
  await vi.advanceTimersByTimeAsync(110)
  await vi.waitFor(() => expect(state.lists.intents?.intents).toEqual([{ id: 'pi_2' }]))
  sent.length = 0
  await vi.advanceTimersByTimeAsync(1000)
  expect(sent.filter((path) => path.includes('/intents'))).toEqual([
    '/environments/env_1/intents?q=A-1&before=pi_5',
  ])
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
