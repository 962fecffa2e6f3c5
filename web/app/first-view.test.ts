import { expect, it } from 'vitest'
import { entryOf, viewOf } from './first-view'

const origin = 'https://x.example'

it.each([
  ['', null, { path: '/' }],
  [
    'https://news.example/item?id=1',
    'Ab3dE9xy',
    { path: '/', referrer: 'https://news.example/item?id=1', ref: 'Ab3dE9xy' },
  ],
  [`${origin}/leaderboard`, null, { path: '/' }],
  [`${origin}.evil/`, null, { path: '/', referrer: `${origin}.evil/` }],
])('says of a view from %j with the code %j: %j', (referrer, ref, view) => {
  expect(viewOf('/', ref, referrer, origin)).toEqual(view)
})

it('cuts a long referrer', () => {
  expect(viewOf('/', null, `https://a.example/${'x'.repeat(5000)}`, origin).referrer).toHaveLength(2000)
})

it.each([
  ['', '/waitlist'],
  ['https://news.example/', '/waitlist'],
  [`${origin}/?ref=Ab3dE9xy`, '/'],
  [`${origin}.evil/pricing`, '/waitlist'],
])('a visit of /waitlist that came from %j began at %s', (referrer, page) => {
  expect(entryOf('/waitlist', referrer, origin)).toBe(page)
})
