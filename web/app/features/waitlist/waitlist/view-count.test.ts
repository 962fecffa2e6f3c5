import { expect, it } from 'vitest'
import { entryOf } from './view-count'

const origin = 'https://x.example'

it.each([
  ['', '/waitlist'],
  ['https://news.example/', '/waitlist'],
  [`${origin}/?ref=Ab3dE9xy`, '/'],
  [`${origin}.evil/pricing`, '/waitlist'],
])('attributes a visit of /waitlist from %j to %s', (referrer, page) => {
  expect(entryOf('/waitlist', referrer, origin)).toBe(page)
})
