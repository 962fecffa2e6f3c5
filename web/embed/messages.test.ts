import { describe, expect, it } from 'vitest'
import { hostOrigin, readThemeMessage, readWidgetMessage, schemeOf } from './messages'

describe('what a page takes from the widget', () => {
  it.each([
    { type: 'x-automated:size', height: 312 },
    { type: 'x-automated:joined', position: 9 },
  ])('%o', (message) => expect(readWidgetMessage(message)).toEqual(message))

  it.each([
    null,
    'x-automated:size',
    {},
    { type: 'x-automated:size' },
    { type: 'x-automated:size', height: '312' },
    { type: 'x-automated:size', height: -1 },
    { type: 'x-automated:size', height: 1e9 },
    { type: 'x-automated:size', height: Number.NaN },
    { type: 'x-automated:joined', position: '1; drop' },
    { type: 'another', height: 312 },
  ])('and not %j', (message) => expect(readWidgetMessage(message)).toBeNull())
})

it.each([
  ['https://blog.example', 'https://blog.example'],
  ['http://localhost:8080', 'http://localhost:8080'],
  // Sandboxed pages and files: to post to these throws, in the middle of a join.
  ['null', null],
  ['', null],
  [null, null],
  ['*', null],
  ['https://blog.example/page', null],
  ['javascript:alert(1)', null],
])('the page around says that it is at %s: words go to %s', (said, origin) => expect(hostOrigin(said)).toBe(origin))

it('the widget takes a scheme and nothing else', () => {
  expect(readThemeMessage({ type: 'x-automated:theme', theme: 'dark' })).toBe('dark')
  for (const data of [null, 'dark', { theme: 'dark' }, { type: 'x-automated:theme', theme: 'pink' }])
    expect(readThemeMessage(data)).toBeNull()
})

it.each([
  ['light', 'dark', true, 'light'],
  ['dark', 'normal', false, 'dark'],
  [undefined, 'normal', true, 'light'],
  ['auto', 'dark', false, 'dark'],
  ['auto', 'only dark', false, 'dark'],
  [undefined, 'light dark', true, 'dark'],
  [undefined, 'light dark', false, 'light'],
  ['nonsense', 'light', true, 'light'],
] as const)('asked for %s on a page that is %s, with a dark system: %s → %s', (asked, page, dark, scheme) => {
  expect(schemeOf(asked, page, dark)).toBe(scheme)
})
