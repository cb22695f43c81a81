import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startProcess } from '../support/process.ts'
import { create, retrieve } from '../support/service.ts'

test('a kill -9 in a stream of 300 creates loses no acknowledged intent', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pi-service-kill-'))
  const args = ['--data', join(folder, 'data')]
  const bodyOf = (at: number) => ({ amount: at + 1, currency: 'AMD', orderId: `A-${at}` })
  const keyOf = (at: number) => ({ 'idempotency-key': `stream-${at}` })

  const first = await startProcess(args)
  const acknowledged = new Map<number, string>()
  let next = 0
  async function worker(): Promise<void> {
    while (next < 300) {
      const at = next++
      try {
        const answer = await create(first, bodyOf(at), keyOf(at))
        const text = await answer.text()
        if (answer.status === 201) acknowledged.set(at, text)
      } catch {
        return // The service is gone; this create was never acknowledged.
      }
      if (acknowledged.size === 120) first.child.kill('SIGKILL')
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  await first.stop('SIGKILL')
  expect(acknowledged.size).toBeGreaterThanOrEqual(120)

  const second = await startProcess(args)
  const ids = new Set<string>()
  for (let at = 0; at < 300; at++) {
    const replay = await create(second, bodyOf(at), keyOf(at))
    const text = await replay.text()
    const before = acknowledged.get(at)
    if (before !== undefined) {
      expect(replay.headers.get('idempotent-replayed')).toBe('true')
      expect(text).toBe(before)
    }
    const { id } = JSON.parse(text) as { id: string }
    ids.add(id)
    if (at % 30 === 0) expect((await retrieve(second, id)).status).toBe(200)
  }
  expect(ids.size).toBe(300)
  expect(await second.stop()).toBe(0)
  await rm(folder, { recursive: true })
})
