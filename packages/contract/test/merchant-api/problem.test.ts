import { expect, test } from 'vitest'
import { ProblemSchema, problemMediaType } from '../../src/index.ts'

test('reads a problem with its code alone, and keeps unknown fields', () => {
  expect(problemMediaType).toBe('application/problem+json')
  expect(ProblemSchema.parse({ code: 'x', added: 1 })).toEqual({ code: 'x', added: 1 })
  for (const body of [{}, { code: 7 }, { code: 'x', errors: [{}] }, 'x']) {
    expect(ProblemSchema.safeParse(body).success).toBe(false)
  }
})
