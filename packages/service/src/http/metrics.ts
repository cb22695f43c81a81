/**
 * Counts and times for Prometheus: how many answers of which status, how fast, and the process itself.
 * No label tells a merchant, an intent or a key.
 *
 * @module
 */
import type { RequestListener } from 'node:http'
import { routes } from '@pi-checkout/contract'
import { Router } from 'express'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { sentStatus } from './answer-facts.ts'
import { only } from './method-not-allowed.ts'

/** The metrics of one instance. */
export interface Metrics {
  /** Counts what a listener answers. */
  watch(listener: RequestListener): RequestListener
  /** The route `/metrics`. */
  readonly router: Router
}

/** Makes the metrics of one instance. */
export function makeMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const answers = new Counter({
    name: 'pi_answers_total',
    help: 'Answers by operation and status; status 0 is a connection that ended before its answer.',
    labelNames: ['operation', 'status'] as const,
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'pi_answer_seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labelNames: ['operation'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const router = Router({ caseSensitive: true, strict: true })
  router.get('/metrics', async (_request, response) => {
    const text = await registry.metrics()
    response.set('cache-control', 'no-store').type(registry.contentType).send(text)
  })
  router.all('/metrics', only('GET, HEAD'))

  return {
    router,
    watch: (listener) => (request, response) => {
      const operation = operationOf(request.method, request.url ?? '')
      const stop = seconds.startTimer({ operation })
      response.once('close', () => {
        stop()
        answers.inc({ operation, status: sentStatus(response) })
      })
      listener(request, response)
    },
  }
}

/** One of a few words: a label per path would grow without end. */
function operationOf(method: string | undefined, url: string): string {
  if (url.startsWith(routes.create.path)) {
    return method === routes.create.method ? routes.create.operation : routes.retrieve.operation
  }
  if (url.startsWith('/checkout')) return 'checkout'
  return url.startsWith('/_sandbox') ? 'sandbox' : 'other'
}
