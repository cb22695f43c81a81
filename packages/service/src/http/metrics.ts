/** Metrics for Prometheus. Labels contain no merchants, intents, or keys. @module */
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Call, Observer } from './call.ts'
import type { Handler } from './response.ts'

export function createMetrics(): { readonly observer: Observer; readonly handle: Handler } {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const responses = new Counter({
    name: 'pi_http_responses_total',
    help: 'Responses by operation and status; status 0 is a connection that closed before its response.',
    labelNames: ['operation', 'status'] as const,
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'pi_http_response_seconds',
    help: 'Time from the head of a request to the end of its response.',
    labelNames: ['operation'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  return {
    observer: {
      shouldRecord: () => true,
      record: (call) => {
        const operation = operationOf(call)
        seconds.observe({ operation }, (performance.now() - call.startedAt) / 1000)
        responses.inc({ operation, status: call.sentStatus })
      },
    },
    handle: async () => ({
      status: 200,
      base: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
      headers: { 'content-type': registry.contentType },
      body: await registry.metrics(),
    }),
  }
}

/** Returns the operation of a request. A label for each path would create too many time series. */
function operationOf({ route, audience }: Call): string {
  switch (audience) {
    case 'merchant':
      return route === 'create' ? 'create' : 'retrieve'
    case 'buyer':
    case 'checkout':
      return 'checkout'
    case 'inspector':
    case 'sandbox':
      return 'sandbox'
    default:
      return 'other'
  }
}
