import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { safeReturnPath } from './return-path'

const origin = 'https://x-automated.example'

describe('safeReturnPath', () => {
  test.each(['/dashboard', '/leads?page=2&status=sent', '/campaigns/7#messages', '/', '/authors'])(
    'accepts %s',
    (path) => {
      expect(safeReturnPath(path, origin)).toBe(path)
    },
  )

  test.each([
    'https://evil.example/',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    'javascript:alert(1)',
    'dashboard',
    '',
    null,
    undefined,
    7,
    { pathname: '/leads' },
  ])('rejects %j', (path) => {
    expect(safeReturnPath(path, origin)).toBeNull()
  })

  test.each(['/login', '/auth', '/auth?ref=A', '/auth/callback?code=1', '/reset-password', '/forgot-password'])(
    'rejects the sign-in page %s, which would cause a loop',
    (path) => {
      expect(safeReturnPath(path, origin)).toBeNull()
    },
  )

  test('accepts only paths that stay on the origin', () => {
    const nasty = fc.string({
      unit: fc.constantFrom('/', '\\', '.', ':', '@', '\t', '\n', '%2f', 'evil.example', 'a', '?', '#'),
    })
    fc.assert(
      fc.property(nasty, (tail) => {
        const safe = safeReturnPath(`/${tail}`, origin)
        if (safe === null) return
        expect(new URL(safe, origin).origin).toBe(origin)
        expect(safe.startsWith('//')).toBe(false)
      }),
    )
  })
})
