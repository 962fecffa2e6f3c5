import { type Role, type Scope, scopesAllow } from '@x-automated/contract/route'
import { Refusal } from './refusal.ts'

declare const scoped: unique symbol
/** A workspace id that the caller is known to be a member of. Only the guard creates one. */
export type WorkspaceScope = string & { readonly [scoped]: true }

/** The caller and what they may reach. Every service of workspace data takes one. */
export interface Actor {
  userId: string
  sessionId: string
  workspaceId: WorkspaceScope
  role: Role
  /** The calling API key, if any. */
  apiKey?: { id: string; scopes: readonly Scope[]; createdBy: string }
}

/** On whose behalf work is done. `userId` is null if the user was deleted, or if a reply causes the work. */
export interface Author {
  workspaceId: string
  userId: string | null
}

const RANK: Record<Role, number> = { viewer: 0, member: 1, admin: 2, owner: 3 }

/** Whether `role` includes the permissions of `needed`. */
export function roleAllows(role: Role, needed: Role): boolean {
  return RANK[role] >= RANK[needed]
}

/** Whether the caller is a person, an extension, or an API key with this scope. */
export function hasScope({ apiKey }: Actor, scope: Scope): boolean {
  return !apiKey || scopesAllow(apiKey.scopes, scope)
}

/** Requires that an API key has a scope. @throws Refusal FORBIDDEN: it does not */
export function requireScope(actor: Actor, scope: Scope): void {
  if (!hasScope(actor, scope))
    throw new Refusal('FORBIDDEN', `This API key does not have the scope ${scope}.`, { details: { scope } })
}

/** The id whose calls are rate limited: an API key's, or a person's. */
export function callerId({ apiKey, userId }: Actor): string {
  return apiKey?.id ?? userId
}

/**
 * The user whose private data the caller sees and changes: an API key's creator, even if the key
 * acts for the owner.
 */
export function authorOf({ apiKey, userId }: Actor): string {
  return apiKey?.createdBy ?? userId
}

/** Requires the author or an admin. @param what such as 'note' @throws Refusal FORBIDDEN: the caller is neither */
export function requireAuthor(actor: Actor, authorId: string, what: string): void {
  if (authorOf(actor) !== authorId && !roleAllows(actor.role, 'admin'))
    throw new Refusal('FORBIDDEN', `Only its author or an admin can change this ${what}.`)
}
