import type { Conversation } from '@x-automated/contract/outreach/conversations'
import { expect, test } from 'vitest'
import { changePages, restorePages } from './conversation-cache'

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

test('restores conversations one after the other at their places', () => {
  const withoutA = changePages(pages, new Set(['a']), { status: 'done' }, 'open')
  const withoutBoth = changePages(withoutA, new Set(['b']), { status: 'done' }, 'open')
  const withA = restorePages(withoutBoth, pages, new Set(['a']))
  expect(ids(withA)).toEqual([['a'], ['c']])
  expect(ids(restorePages(withA, withoutA, new Set(['b'])))).toEqual([['a', 'b'], ['c']])
})
