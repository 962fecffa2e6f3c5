import { expect, test } from 'vitest'
import { matchPath, PAGE_PARTS, type Pages, parsePages, signedText } from './extension-pages.ts'

const values = Object.entries(PAGE_PARTS).map(([name, kind]) => [name, kind === 'paths' ? ['/i/chat'] : [`#${name}`]])
const document = { version: 1, notAfter: '2026-12-28', pages: Object.fromEntries(values) as Pages, signature: '' }
const withPart = (name: string, values: unknown) => ({ ...document, pages: { ...document.pages, [name]: values } })

test('accepts a document with exactly the known parts, all kinds of selectors and all kinds of paths', () => {
  const selectors = ['a[href^="/i/chat"]:not([data-testid="UserCell"] *, .x) > b ~ c + #d', "[data-testid$='-follow']"]
  const paths = ['/i/chat/requests/other/{a}-{b}', '/account/access']
  const changed = { ...document, pages: { ...document.pages, composer: selectors, requestPaths: paths } }
  expect(parsePages(changed)).toEqual(changed)
})

test.each<[string, unknown, string]>([
  ['no document', null, 'version'],
  ['a version that is not an integer', { ...document, version: 1.5 }, 'version'],
  ['version 0', { ...document, version: 0 }, 'version'],
  ['no end', { ...document, notAfter: 'soon' }, 'notAfter'],
  ['a signature that is not a text', { ...document, signature: 7 }, 'signature'],
  ['an unknown part', withPart('script', ['a']), 'script is not a known part'],
  ['an inherited name as a part', withPart('toString', ['a']), 'toString is not a known part'],
  ['a missing part', withPart('composer', undefined), 'composer'],
  ['an empty part', withPart('composer', []), 'composer'],
  ['too many values', withPart('composer', Array(21).fill('a')), 'composer'],
  ['a value that is too long', withPart('composer', ['a'.repeat(301)]), 'composer'],
  ['a value that is not a text', withPart('composer', [7]), 'composer'],
  ['a script as a selector', withPart('composer', ['javascript:alert`1`']), 'composer'],
  ['an address as a selector', withPart('composer', ['a[href="https://evil.test"]']), 'composer'],
  ['markup as a selector', withPart('composer', ['<img>']), 'composer'],
  ['a style rule as a selector', withPart('composer', ['a{color:red}']), 'composer'],
  ['an address as a path', withPart('passcodePaths', ['https://evil.test/']), 'passcodePaths'],
  ['another host as a path', withPart('passcodePaths', ['//evil.test']), 'passcodePaths'],
  ['a pattern as a path', withPart('passcodePaths', ['/i/.*']), 'passcodePaths'],
  ['a path with a query', withPart('passcodePaths', ['/i/chat?a=1']), 'passcodePaths'],
])('rejects %s', (_what, value, problem) => {
  expect(() => parsePages(value)).toThrow(problem)
})

test('the signature covers version, end and every value, in any order of keys', () => {
  const { version, notAfter, pages } = document
  const text = signedText({ version, notAfter, pages })
  expect(signedText({ pages: Object.fromEntries(Object.entries(pages).reverse()) as never, notAfter, version })).toBe(
    text,
  )
  for (const changed of [
    { version: version + 1, notAfter, pages },
    { version, notAfter: '2030-01-01', pages },
    { version, notAfter, pages: { ...pages, composer: ['#other'] } },
    { version, notAfter, pages: { ...pages, composer: [...pages.composer, '#other'] } },
  ])
    expect(signedText(changed)).not.toBe(text)
})

test('finds the ids in the paths of conversations and requests', () => {
  const conversationPaths = ['/i/chat/{a}-{b}']
  const requestPaths = ['/i/chat/requests/{a}-{b}', '/i/chat/requests/other/{a}-{b}']
  expect(matchPath(conversationPaths, '/i/chat/12-345')).toEqual(['12', '345'])
  expect(matchPath(requestPaths, '/i/chat/requests/12-345')).toEqual(['12', '345'])
  expect(matchPath(requestPaths, '/i/chat/requests/other/12-345')).toEqual(['12', '345'])
  expect(matchPath(['/i/chat/pin'], '/i/chat/pin/recovery')).toEqual([])
  for (const path of ['/i/chat', '/i/chat/g12', '/i/chat/12', '/messages/12-345', '/i/chat/12-345x', '/x/i/chat/1-2'])
    expect(matchPath(conversationPaths, path), path).toBeNull()
  expect(matchPath(requestPaths, '/i/chat/requests')).toBeNull()
  expect(matchPath(conversationPaths, '/i/chat/requests/12-345')).toBeNull()
})
