import { describe, expect, it } from 'vitest'
import { pageOf } from './rules.ts'

describe('pageOf', () => {
  it.each([
    ['/', '/'],
    ['/waitlist?ref=abc', '/waitlist'],
    ['/leaderboard/', '/leaderboard'],
    ['/campaigns/0190-1', '/campaigns/{id}'],
    ['/inbox/0190-1', '/inbox/{id}'],
    ['/r/secret-token', '/r/{token}'],
    ['/r/{token}', '/r/{token}'],
    ['/auth/callback?code=1', '/auth/callback'],
    ['/wp-admin.php', 'other'],
    ['waitlist', 'other'],
    ['', 'other'],
  ])('counts %s as %s', (path, page) => {
    expect(pageOf(path)).toBe(page)
  })
})
