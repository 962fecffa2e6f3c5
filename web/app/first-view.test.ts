import { expect, it } from 'vitest'
import { entryOf, viewOf } from './first-view'

const origin = 'https://x.example'

it.each([
  [null, { path: '/' }],
  ['Ab3dE9xy', { path: '/', ref: 'Ab3dE9xy' }],
])('says of a view with the code %j: %j', (ref, view) => {
  expect(viewOf('/', ref)).toEqual(view)
})

it.each([
  ['', '/waitlist'],
  ['https://news.example/', '/waitlist'],
  [`${origin}/?ref=Ab3dE9xy`, '/'],
  [`${origin}.evil/pricing`, '/waitlist'],
])('a visit of /waitlist that came from %j began at %s', (referrer, page) => {
  expect(entryOf('/waitlist', referrer, origin)).toBe(page)
})
