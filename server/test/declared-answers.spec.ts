import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { operations } from './operations.ts'

/**
 * Runs last: every operation must have succeeded, and returned each error that it declares.
 * Errors common to all operations are tested once (conventions.test.ts).
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

// Only a full run produces all responses.
describe.skipIf(!process.env.FULL_RUN)('every declared answer was given in some test', () => {
  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    (name, { declared, access, takesInput }) => {
      const expected = declared.filter((code) => !COMMON.has(code))
      const missing = ['OK', ...expected].filter((code) => {
        if (code === 'INVALID_INPUT' && !takesInput) return false
        // Every member has the role of a viewer, so FORBIDDEN is impossible.
        if (code === 'FORBIDDEN' && access === 'viewer') return false
        return !given.has(`${name} ${code}`)
      })
      expect(missing).toEqual([])
    },
  )
})
