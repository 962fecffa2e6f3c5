import { DrizzleQueryError } from 'drizzle-orm'
import pg from 'pg'
import { expect, it } from 'vitest'
import { describeError } from './log.ts'

it('keeps the type of a database error, and nothing people wrote', () => {
  const cause = Object.assign(new pg.DatabaseError('duplicate key (email)=(ann@example.com)', 10, 'error'), {
    code: '23505',
    constraint: 'users_email',
    table: 'users',
    detail: 'Key (email)=(ann@example.com) already exists.',
  })
  const description = describeError(new DrizzleQueryError('insert into users values ($1)', ['ann@example.com'], cause))
  expect(JSON.stringify(description)).not.toContain('ann@example.com')
  expect(description).toMatchObject({ cause: { code: '23505', constraint: 'users_email', table: 'users' } })
})

it('keeps the message and place of our own errors', () => {
  expect(describeError(new TypeError('x is not a function'))).toMatchObject({
    type: 'TypeError',
    message: 'x is not a function',
    at: expect.arrayContaining([expect.stringContaining('log.test.ts')]),
  })
})
