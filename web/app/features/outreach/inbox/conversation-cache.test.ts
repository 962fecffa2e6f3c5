import type { Conversation } from '@x-automated/contract/outreach/conversations'
import { expect, test } from 'vitest'
import { changePages } from './conversation-cache'

const conversation = (id: string) => ({ id, status: 'open', label: 'question' }) as Conversation
const pages = [{ conversations: [conversation('a'), conversation('b')] }, { conversations: [conversation('c')] }]
const ids = (after: typeof pages) => after.map((page) => page.conversations.map(({ id }) => id))

test('removes conversations from a list that their new status does not match', () => {
  expect(ids(changePages(pages, new Set(['b', 'c']), { status: 'done' }, 'open'))).toEqual([['a'], []])
})

test('changes a conversation in its place', () => {
  const after = changePages(pages, new Set(['c']), { label: 'later' }, 'open')
  expect(ids(after)).toEqual([['a', 'b'], ['c']])
  expect(after[1]?.conversations[0]?.label).toBe('later')
})
