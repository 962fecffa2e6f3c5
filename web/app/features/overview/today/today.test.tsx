import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { Today as TodayData } from '@x-automated/contract/overview/today'
import { renderToString } from 'react-dom/server'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'
import { api } from '../../../api'
import { ConfirmProvider } from '../../../ui/confirm'
import Pulse from './pulse'
import Today from './today'

const today: TodayData = {
  repliesWaiting: 4,
  sentToday: 31,
  countedInDay: 33,
  capNow: 48,
  warmUp: null,
  nextSendAt: null,
  campaigns: [
    {
      id: 'c',
      name: 'Indie founders',
      status: 'active',
      peopleMessaged: 212,
      totalLeadsInList: 330,
      peopleSkipped: 12,
      waitingFor: null,
      positiveRate: 6.6,
      sentByDay: [...Array<number>(12).fill(0), 5, 31],
    },
  ],
  days: Array.from({ length: 14 }, (_, n) => ({
    day: `2026-11-${String(n + 7).padStart(2, '0')}`,
    sent: n === 13 ? 31 : 40,
    replied: 5,
    positive: 4,
  })),
  needs: [{ code: 'x_disconnected', params: { handle: 'lena' }, path: '/twitter' }],
}

const textOf = (node: React.ReactNode, queries = new QueryClient()) =>
  renderToString(
    <QueryClientProvider client={queries}>
      <MemoryRouter>
        <ConfirmProvider>{node}</ConfirmProvider>
      </MemoryRouter>
    </QueryClientProvider>,
  ).replace(/<!-- -->/g, '')

test('Home says who waits, what was sent and what needs a person', () => {
  const html = textOf(<Today today={today} />)
  expect(html).toContain('4 people are waiting for your answer')
  expect(html).toContain('31 messages sent today.')
  expect(html).toMatch(/Used of the daily cap.*33 <small[^>]*>of 48<.*In the last 24 hours/)
  expect(html).toContain('@lena is disconnected')
  expect(html).toContain('212 of 318')
  expect(html).toContain('36 messages in 14 days')
  expect(html).toContain('Pause Indie founders')
  expect(html).toContain('Messages of the last 14 days: 551 sent, 56 positive replies')
})

test('Home says how far the warm-up is', () => {
  const warmUp = { day: 1, capNow: 20, fullCap: 500, fullOn: '2026-12-31' }
  expect(textOf(<Today today={{ ...today, warmUp }} />)).toContain('Warm-up, day 1: 20 today, 500 from about Dec 31')
})

test('the pulse says how much of the daily cap is used, and that nothing is scheduled', () => {
  const html = textOf(<Pulse today={today} />)
  expect(html).toContain('33 of 48 in 24 hours')
  expect(html).toContain('Nothing is scheduled')
})

test('neither Home nor the pulse counts down while the X app has no credits', () => {
  const nextSendAt = new Date(Date.now() + 10_000).toISOString()
  const textsOf = (data: TodayData) => [textOf(<Today today={data} />), textOf(<Pulse today={data} />)]
  for (const html of textsOf({ ...today, nextSendAt })) expect(html).toMatch(/\b0:(?:10|09)\b/)
  const needs: TodayData['needs'] = [{ code: 'funds', params: { isOwnApp: false }, path: '/settings' }]
  for (const html of textsOf({ ...today, nextSendAt, needs })) {
    expect(html).toContain('Waiting for X credits')
    expect(html).not.toMatch(/\b0:\d\d\b/)
  }
})

test('Home names each lost account, and offers to connect it only to admins', () => {
  const lost = (handle: string) => ({ code: 'x_disconnected' as const, params: { handle }, path: '/twitter' })
  const home = <Today today={{ ...today, needs: [lost('lena'), lost('omar')] }} />
  expect(textOf(home)).toContain('Connect: @omar is disconnected')
  const queries = new QueryClient()
  queries.setQueryData(api.auth.me.queryKey(), { workspace: { role: 'member' } } as never)
  const html = textOf(home, queries)
  expect(html).toContain('@omar is disconnected')
  expect(html).not.toContain('Connect: @omar')
})

test('Home shows three needs and offers all of them', () => {
  const lost = (handle: string) => ({ code: 'x_disconnected' as const, params: { handle }, path: '/twitter' })
  const homeOf = (handles: string[]) => textOf(<Today today={{ ...today, needs: handles.map(lost) }} />)
  expect(homeOf(['ana', 'ben', 'cleo', 'dan'])).toContain('Show all 4')
  expect(homeOf(['ana', 'ben', 'cleo', 'dan'])).not.toContain('@dan')
  expect(homeOf(['ana', 'ben', 'cleo'])).not.toContain('Show all')
})
