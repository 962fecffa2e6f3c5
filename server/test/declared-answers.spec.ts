import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { operations } from './operations.ts'

/**
 * Runs after all others: every operation was seen to succeed, and to refuse in each way that it declares.
 * What every operation may answer with (a body that is too large, a limit, a fault, a database that is away, an Idempotency-Key used twice)
 * is tried on every route by conventions.test.ts, or once for all where the mechanism is one.
 */
const COMMON = new Set([
  'BODY_TOO_LARGE',
  'RATE_LIMITED',
  'INTERNAL',
  'UNAVAILABLE',
  'NOT_READY',
  'IDEMPOTENCY_KEY_REUSED',
  'IDEMPOTENCY_UNDER_WAY',
])

const file = process.env.ANSWERS_FILE
const given = new Set(file && existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [])

// Only a full run gives them all.
describe.skipIf(!process.env.FULL_RUN)('every declared answer was given in some test', () => {
  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    (name, { declared, access, takesInput }) => {
      const expected = declared.filter((code) => !COMMON.has(code))
      const missing = ['OK', ...expected].filter((code) => {
        if (code === 'INVALID_INPUT' && !takesInput) return false
        // A role that every member has refuses nobody.
        if (code === 'FORBIDDEN' && access === 'viewer') return false
        return !given.has(`${name} ${code}`)
      })
      expect(missing).toEqual([])
    },
  )
})
