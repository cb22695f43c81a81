import { expect, test } from 'vitest'
import { filterRequests } from '../../hosted/inspector/request-filters.ts'
import type { LintIssue, LoggedRequest } from '../../shared/sandbox-api.ts'

/** A logged request with the fields that the filters read. */
function request(requestId: string, fields: Partial<LoggedRequest>): LoggedRequest {
  const usual = { operation: 'create', status: 201, replayed: false, faults: [], problem: null }
  return { requestId, ...usual, ...fields } as LoggedRequest
}

const requests = [
  request('paid', { order: { orderId: 'TS-1', amount: 1500, currency: 'AMD' } }),
  request('invalid', { status: 400, problem: 'validation_failed', pointers: ['/amount'] }),
  request('again', { replayed: true }),
  request('reused', { status: 422, problem: 'idempotency_key_reused' }),
  request('in use', { status: 409, problem: 'idempotency_key_in_use' }),
  request('dropped', { status: 0, faults: ['drop-after-commit'] }),
  request('cut', { faults: ['truncate-body'] }),
  request('slow', { faults: ['delay=500'] }),
  request('key check', { operation: 'check', status: 404, problem: 'payment_intent_not_found' }),
]
const issues = [{ rule: 'key_reused', title: 'Reused', requestId: 'reused' }] as LintIssue[]

test('a filter shows the requests of its kind', () => {
  const shown = Object.entries(filterRequests({ requests, issues }, '')).map(([name, found]) => [
    name,
    found.map(({ requestId }) => requestId).join(),
  ])
  expect(Object.fromEntries(shown)).toEqual({
    all: requests.map(({ requestId }) => requestId).join(),
    failed: 'invalid,reused,in use,dropped',
    replayed: 'again',
    lost: 'dropped,cut',
    conflicts: 'reused,in use',
    lint: 'reused',
  })
})

test.each([
  [' ts-1 ', 'paid'],
  ['VALIDATION', 'invalid'],
  ['/amount', 'invalid'],
  ['422', 'reused'],
  ['drop-', 'dropped'],
  ['orderId', ''],
])('finds "%s" in what a row shows', (q, found) => {
  expect(
    filterRequests({ requests, issues }, q)
      .all.map(({ requestId }) => requestId)
      .join(),
  ).toBe(found)
})
