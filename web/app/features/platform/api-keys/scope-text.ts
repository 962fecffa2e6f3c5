import { SCOPE_DOMAINS, type Scope, type ScopeDomain } from '@x-automated/contract/route'

/** What a key may do with a domain. */
export type ScopeAccess = 'none' | 'read' | 'write'

/** The name of each domain, and what it covers. */
export const SCOPE_TEXTS: Record<ScopeDomain, { name: string; hint?: string; isReadOnly?: true }> = {
  leads: { name: 'Leads', hint: 'With tags, filters, imports and jobs' },
  lists: { name: 'Lists' },
  scrapes: { name: 'Scrapes' },
  campaigns: { name: 'Campaigns', hint: 'Writing includes sending messages' },
  conversations: { name: 'Conversations', hint: 'Writing includes answering' },
  templates: { name: 'Templates' },
  writer: { name: 'AI writer' },
  suppressions: { name: 'Suppression list' },
  analytics: { name: 'Analytics', isReadOnly: true },
}

/** The access that these scopes give to a domain. */
export function accessTo(domain: ScopeDomain, scopes: readonly Scope[]): ScopeAccess {
  if (scopes.includes(`${domain}:write`)) return 'write'
  return scopes.includes(`${domain}:read`) ? 'read' : 'none'
}

/** The scopes after changing the access to one domain. */
export function withAccess(scopes: readonly Scope[], domain: ScopeDomain, access: ScopeAccess): Scope[] {
  const others = scopes.filter((scope) => !scope.startsWith(`${domain}:`))
  return access === 'none' ? others : [...others, `${domain}:${access}`]
}

/** Scopes with the same access to each domain. Read-only domains get read access. */
export function scopesOfAll(access: ScopeAccess): Scope[] {
  if (access === 'none') return []
  return SCOPE_DOMAINS.map((domain) => `${domain}:${SCOPE_TEXTS[domain].isReadOnly ? 'read' : access}` as const)
}

/** The access that these scopes give to all domains, or null if it differs. */
export function commonAccess(scopes: readonly Scope[]): ScopeAccess | null {
  const has = (access: ScopeAccess, domain: ScopeDomain) => {
    const own = accessTo(domain, scopes)
    return own === access || (access === 'write' && own === 'read' && SCOPE_TEXTS[domain].isReadOnly)
  }
  return (
    (['none', 'read', 'write'] as const).find((access) => SCOPE_DOMAINS.every((domain) => has(access, domain))) ?? null
  )
}

/** 'Read and write: Leads, Lists' and 'Read: Analytics'. */
export function scopeLines(scopes: readonly Scope[]): string[] {
  const common = commonAccess(scopes)
  const namesOf = (access: ScopeAccess) =>
    SCOPE_DOMAINS.filter((domain) => accessTo(domain, scopes) === access)
      .map((domain) => SCOPE_TEXTS[domain].name)
      .join(', ')
  return (['write', 'read'] as const).flatMap((access) => {
    const names = common === access ? 'Everything' : common ? '' : namesOf(access)
    return names ? [`${access === 'write' ? 'Read and write' : 'Read'}: ${names}`] : []
  })
}
