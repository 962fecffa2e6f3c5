import { expect, it } from 'vitest'
import { readCursor, writeCursor } from './paging.ts'

it('reads its own cursors and rejects others', () => {
  const position = { at: new Date('2026-11-20T12:00:00.123Z'), id: '01900000-0000-7000-8000-000000000000' }
  expect(readCursor(writeCursor(position))).toEqual(position)
  for (const other of ['', 'x', '2026-05-01 1', `2026-13-20T12:00:00.123Z ${position.id}`])
    expect(() => readCursor(Buffer.from(other).toString('base64url'))).toThrow('cursor')
})
