import { expect, it } from 'vitest'
import { entryOf, viewOf } from './first-view'

const origin = 'https://x.example'

it.each([
  [null, { path: '/' }],
  ['Ab3dE9xy', { path: '/', ref: 'Ab3dE9xy' }],
])('describes a view with the code %j as %j', (ref, view) => {
  expect(viewOf('/', ref)).toEqual(view)
})

it.each([
  ['', '/waitlist'],
  ['https://news.example/', '/waitlist'],
  [`${origin}/?ref=Ab3dE9xy`, '/'],
  [`${origin}.evil/pricing`, '/waitlist'],
])('attributes a visit of /waitlist from %j to %s', (referrer, page) => {
  expect(entryOf('/waitlist', referrer, origin)).toBe(page)
})
