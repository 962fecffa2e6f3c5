import { expect, it } from 'vitest'
import { countedPath, entryOf } from './view-count'

const origin = 'https://x.example'

it.each([
  ['', '/waitlist'],
  ['https://news.example/', '/waitlist'],
  [`${origin}/?ref=Ab3dE9xy`, '/'],
  [`${origin}.evil/pricing`, '/waitlist'],
])('attributes a visit of /waitlist from %j to %s', (referrer, page) => {
  expect(entryOf('/waitlist', referrer, origin)).toBe(page)
})

it('counts client reports without their tokens', () => {
  expect(['/r/secret', '/r/secret/', '/rankings'].map(countedPath)).toEqual(['/r/{token}', '/r/{token}', '/rankings'])
})
