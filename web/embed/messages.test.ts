import { describe, expect, it } from 'vitest'
import { hostOrigin, readThemeMessage, readWidgetMessage, schemeOf } from './messages'

describe('readWidgetMessage', () => {
  it.each([
    { type: 'x-automated:size', height: 312 },
    { type: 'x-automated:joined', position: 9 },
  ])('accepts %o', (message) => expect(readWidgetMessage(message)).toEqual(message))

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
  ])('rejects %j', (message) => expect(readWidgetMessage(message)).toBeNull())
})

it.each([
  ['https://blog.example', 'https://blog.example'],
  ['http://localhost:8080', 'http://localhost:8080'],
  // The origin of sandboxed pages and files. Posting to it throws.
  ['null', null],
  ['', null],
  [null, null],
  ['*', null],
  ['https://blog.example/page', null],
  ['javascript:alert(1)', null],
])('hostOrigin(%j) returns %j', (said, origin) => expect(hostOrigin(said)).toBe(origin))

it('readThemeMessage accepts only known schemes', () => {
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
] as const)('schemeOf(%j, %j, %j) returns %j', (asked, page, dark, scheme) => {
  expect(schemeOf(asked, page, dark)).toBe(scheme)
})
