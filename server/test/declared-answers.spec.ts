import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { describeApi } from '../src/edges/api-document.ts'
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
const produced = new Set(file && existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [])

// Only a full run produces all responses.
describe.skipIf(!process.env.FULL_RUN)('every declared answer was given in some test', () => {
  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    (name, { declared, access, takesInput }) => {
      const expected = declared.filter((code) => !COMMON.has(code))
      const missing = ['OK', ...expected].filter((code) => {
        if (code === 'INVALID_INPUT' && !takesInput) return false
        // Every member has at least the role viewer, so FORBIDDEN is impossible.
        if (code === 'FORBIDDEN' && access === 'viewer') return false
        return !produced.has(`${name} ${code}`)
      })
      expect(missing).toEqual([])
    },
  )
})

describe.skipIf(!process.env.FULL_RUN)('every given answer is declared', () => {
  it('has a status that the document of the API names', async () => {
    const declared = statusesIn(JSON.parse(await describeApi()))
    const undeclared = [...produced].filter((line) => {
      const [method, route, status = ''] = line.split(' ')
      const statuses = declared.get(`${method} ${route}`) ?? declared.get(route ?? '')
      return /^\d+$/.test(status) && statuses && !statuses.includes(status)
    })
    expect(undeclared).toEqual([])
  })
})

interface ApiDocument {
  paths: Record<string, Record<string, { operationId: string; responses: object }>>
}

/** Declared statuses, both by the name of the operation and by its route, such as `GET /api/path/:id`. */
function statusesIn({ paths }: ApiDocument): Map<string, string[]> {
  const statuses = new Map<string, string[]>()
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { operationId, responses }] of Object.entries(operations)) {
      const route = `/api${path.replace(/\{(\w+)\}/g, ':$1')}`
      for (const name of [operationId, `${method.toUpperCase()} ${route}`]) statuses.set(name, Object.keys(responses))
    }
  return statuses
}
