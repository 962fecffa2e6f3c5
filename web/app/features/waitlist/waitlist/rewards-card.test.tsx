import { QueryClientProvider } from '@tanstack/react-query'
import type { Rewards } from '@x-automated/contract/platform/billing'
import { renderToString } from 'react-dom/server'
import { expect, it } from 'vitest'
import { api } from '../../../api'
import { createQueryClient } from '../../../query-client'
import { RewardsCard } from './rewards-card'

const earnedAt = '2026-11-27T12:00:00.000Z'
const reward = { earnedAt, status: 'given' as const, confirmed: 10, needed: 10, startsAt: earnedAt }
const silver = (url: string | null) => ({ achievement: 'silver', ...reward, url })

function render(rewards: Partial<Rewards>, role: 'owner' | 'viewer' = 'owner'): string {
  const client = createQueryClient()
  const all = { rewards: [], hasEarlyAccess: false, early: [], ...rewards }
  client.setQueryData(api.billing.rewards.queryKey(), all)
  client.setQueryData(api.auth.me.queryKey(), { workspace: { role } } as never)
  return renderToString(
    <QueryClientProvider client={client}>
      <RewardsCard plan="free" />
    </QueryClientProvider>,
  )
}

it('shows nothing if there are no rewards besides months of Pro', () => {
  expect(render({ rewards: [{ achievement: 'bronze', ...reward, url: null }] })).toBe('')
})

it('opens what a reward opens, for the owner', () => {
  const html = render({ rewards: [silver('https://cal.acme.test/call')] })
  expect(html).toContain('Your rewards')
  expect(html).toMatch(
    /<a href="https:\/\/cal\.acme\.test\/call" target="_blank" rel="noopener"[^>]*>.*Book your strategy call<\/a>/,
  )
})

it('says how many friends have confirmed for a held reward', () => {
  const held = { ...silver(null), status: 'held' as const, confirmed: 4, startsAt: null }
  expect(render({ rewards: [held] })).toContain('4 of 10 confirmed')
  expect(render({ rewards: [{ ...held, startsAt: earnedAt }] })).toContain('Starts on')
})

it('shows others what the owner earned, without a link', () => {
  const html = render({ rewards: [silver(null)] }, 'viewer')
  expect(html).toContain('Rewards of this workspace')
  expect(html).toContain('A strategy call with us.')
  expect(html).not.toContain('<a ')
})

it('lists the early features, and says if there is none', () => {
  expect(render({ hasEarlyAccess: true, early: [{ key: 'voice', name: 'Voice notes' }] })).toContain(
    '<li>Voice notes</li>',
  )
  expect(render({ hasEarlyAccess: true })).toContain('The first ones come with the next release.')
})
