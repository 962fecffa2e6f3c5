import { contract } from '@x-automated/contract/contract'
import { SCOPE_DOMAINS } from '@x-automated/contract/route'
import { expect, it } from 'vitest'
import { commonAccess, SCOPE_TEXTS, scopeLines, scopesOfAll, withAccess } from './scope-text'

it('offers to write where an operation needs it', () => {
  const scopes = Object.values(contract).flatMap((operations) =>
    Object.values(operations).map((operation) => operation['~orpc'].meta.scope),
  )
  expect(SCOPE_DOMAINS.filter((domain) => SCOPE_TEXTS[domain].isReadOnly)).toEqual(
    SCOPE_DOMAINS.filter((domain) => !scopes.includes(`${domain}:write`)),
  )
})

it('recognizes the same access to everything', () => {
  for (const access of ['none', 'read', 'write'] as const) expect(commonAccess(scopesOfAll(access))).toBe(access)
  expect(commonAccess(withAccess(scopesOfAll('read'), 'leads', 'write'))).toBeNull()
  expect(commonAccess(withAccess(scopesOfAll('write'), 'lists', 'none'))).toBeNull()
})

it('replaces the access to a domain', () => {
  const reads = withAccess([], 'leads', 'read')
  expect(reads).toEqual(['leads:read'])
  expect(withAccess(reads, 'leads', 'write')).toEqual(['leads:write'])
  expect(withAccess(reads, 'leads', 'none')).toEqual([])
})

it('summarizes scopes', () => {
  expect(scopeLines(scopesOfAll('write'))).toEqual(['Read and write: Everything'])
  expect(scopeLines(scopesOfAll('read'))).toEqual(['Read: Everything'])
  expect(scopeLines(['analytics:read', 'lists:write', 'leads:write', 'leads:read'])).toEqual([
    'Read and write: Leads, Lists',
    'Read: Analytics',
  ])
})
