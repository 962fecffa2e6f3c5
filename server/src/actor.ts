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
  /** The API key that calls, if one does. */
  apiKey?: { id: string; scopes: readonly Scope[]; createdBy: string }
}

/** Whose work is done, perhaps without a user: theirs was deleted, or a reply asks for it. */
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

/** @throws Refusal FORBIDDEN: an API key without this scope */
export function requireScope(actor: Actor, scope: Scope): void {
  if (!hasScope(actor, scope))
    throw new Refusal('FORBIDDEN', `This API key does not have the scope ${scope}.`, { details: { scope } })
}

/** The id of the caller whose calls are limited: an API key's, or a person's. */
export function callerId({ apiKey, userId }: Actor): string {
  return apiKey?.id ?? userId
}

/** Whose private things the caller sees and changes. A key never gets those of the owner it acts for. */
export function authorOf({ apiKey, userId }: Actor): string {
  return apiKey?.createdBy ?? userId
}

/** @param what 'note' @throws Refusal FORBIDDEN: neither its author nor an admin */
export function requireAuthor(actor: Actor, authorId: string, what: string): void {
  if (authorOf(actor) !== authorId && !roleAllows(actor.role, 'admin'))
    throw new Refusal('FORBIDDEN', `Only its author or an admin can change this ${what}.`)
}
