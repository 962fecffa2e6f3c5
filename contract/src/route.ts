import type { HTTPMethod, HTTPPath } from '@orpc/contract'
import { oc } from '@orpc/contract'
import { z } from 'zod'
import { ERROR_STATUS, ERROR_TEXT, type ErrorCode } from './errors.ts'

/**
 * Who may call an operation: anyone, members with at least this role, or operators. Operator
 * operations return 404 to everyone else.
 */
export type Access = 'public' | 'operator' | Role
export type Role = 'viewer' | 'member' | 'admin' | 'owner'

/**
 * What a call changes. `none`: nothing. `rows`: rows, in one transaction. `outside`: other
 * services, or rows in several transactions. Idempotency-Key works for `rows` and `outside`, but
 * not for `unkeyed` calls such as sign-in.
 */
export type Effect = 'none' | 'rows' | 'outside' | 'unkeyed'

/** The sections of the API that keys can reach. */
export const SCOPE_DOMAINS = [
  'leads',
  'lists',
  'scrapes',
  'campaigns',
  'conversations',
  'templates',
  'writer',
  'suppressions',
  'analytics',
] as const
export type ScopeDomain = (typeof SCOPE_DOMAINS)[number]
export type Scope = `${ScopeDomain}:${'read' | 'write'}`
export const SCOPES: readonly Scope[] = SCOPE_DOMAINS.flatMap(
  (domain) => [`${domain}:read`, `${domain}:write`] as const,
)

/** Whether a key with these scopes has the required one. `write` includes `read`. */
export function scopesAllow(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.includes(needed) || scopes.includes(needed.replace(':read', ':write') as Scope)
}

export interface OperationMeta<A extends Access = Access> {
  access: A
  effect: Effect
  /** Whether a paired extension may call the operation with its own token. */
  byExtension: boolean
  /** The scope that an API key needs for the operation; null if keys cannot call it. */
  scope: Scope | null
}

/** Errors that every operation can return. Operations only declare additional ones. */
const ALWAYS = ['INVALID_INPUT', 'BODY_TOO_LARGE', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE', 'NOT_READY'] as const
const SIGNED_IN = ['UNAUTHORIZED', 'FORBIDDEN'] as const
const OPERATOR = ['NOT_FOUND'] as const
const SCOPED = ['PLAN_LIMIT'] as const
const KEYED = ['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_UNDER_WAY'] as const

interface RouteOptions<C extends ErrorCode> {
  summary: string
  description?: string
  byExtension?: boolean
  /** If false, API keys cannot call the operation, even if its section has a scope. */
  byKey?: boolean
  /** Errors in addition to those that every operation can return. */
  errors?: readonly C[]
  /** 204: no body. The default of DELETE. */
  successStatus?: 200 | 204
}

type ErrorMapOf<C extends ErrorCode> = {
  [K in C]: { status: (typeof ERROR_STATUS)[K]; message: string; data: z.ZodOptional<z.ZodUnknown> }
}

/**
 * Returns `route` for one section of the API reference. Continue each route with `.input()` and
 * `.output()`.
 * @param domain lets API keys with its scopes call the operations of viewers and members
 */
export function routes(tag: string, domain: ScopeDomain | null = null) {
  return <const A extends Access, const C extends ErrorCode = never>(
    endpoint: `${HTTPMethod} ${HTTPPath}`,
    access: A,
    effect: Effect,
    { summary, description, byExtension = false, byKey = true, errors = [], ...options }: RouteOptions<C>,
  ) => {
    const [method, path] = endpoint.split(' ') as [HTTPMethod, HTTPPath]
    const successStatus = options.successStatus ?? (method === 'DELETE' ? 204 : 200)
    const isForKeys = domain !== null && byKey && (access === 'viewer' || access === 'member')
    const scope: Scope | null = isForKeys ? `${domain}:${effect === 'none' ? 'read' : 'write'}` : null
    const codes = [
      ...ALWAYS,
      ...(access === 'public' ? [] : access === 'operator' ? OPERATOR : SIGNED_IN),
      ...(effect === 'rows' || effect === 'outside' ? KEYED : []),
      ...(scope ? SCOPED : []),
      ...errors,
    ]
    const errorMap = Object.fromEntries(
      codes.map((code) => [
        code,
        { status: ERROR_STATUS[code], message: ERROR_TEXT[code], data: z.unknown().optional() },
      ]),
    ) as unknown as ErrorMapOf<
      | C
      | (typeof ALWAYS)[number]
      | (typeof SIGNED_IN)[number]
      | (typeof OPERATOR)[number]
      | (typeof KEYED)[number]
      | (typeof SCOPED)[number]
    >
    return oc
      .$meta<OperationMeta<A>>({ access, effect, byExtension, scope })
      .route({ method, path, summary, description, tags: [tag], successStatus })
      .errors(errorMap)
  }
}
