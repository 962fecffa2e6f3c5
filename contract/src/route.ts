import type { HTTPMethod, HTTPPath } from '@orpc/contract'
import { oc } from '@orpc/contract'
import { z } from 'zod'
import { ERROR_STATUS, ERROR_TEXT, type ErrorCode } from './errors.ts'

/** Anyone, members with at least this role, or operators; to others these return 404. */
export type Access = 'public' | 'operator' | Role
export type Role = 'viewer' | 'member' | 'admin' | 'owner'

/**
 * What a call changes: nothing, rows in one transaction, or `outside` of one: in other services too,
 * or in several transactions.
 * Idempotency-Key works for `rows` and `outside`, not for `unkeyed` calls such as sign-in.
 */
export type Effect = 'none' | 'rows' | 'outside' | 'unkeyed'

export interface OperationMeta<A extends Access = Access> {
  access: A
  effect: Effect
  /** Whether a paired extension may call it with its own token. */
  byExtension: boolean
}

/** Errors that every operation may return. Operations only declare additional ones. */
const ALWAYS = ['INVALID_INPUT', 'BODY_TOO_LARGE', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE', 'NOT_READY'] as const
const SIGNED_IN = ['UNAUTHORIZED', 'FORBIDDEN'] as const
const OPERATOR = ['NOT_FOUND'] as const
const KEYED = ['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_UNDER_WAY'] as const

interface RouteOptions<C extends ErrorCode> {
  summary: string
  description?: string
  byExtension?: boolean
  /** Errors in addition to those of every operation. */
  errors?: readonly C[]
  /** 204 for responses without a body. */
  successStatus?: 200 | 204
}

type ErrorMapOf<C extends ErrorCode> = {
  [K in C]: { status: (typeof ERROR_STATUS)[K]; message: string; data: z.ZodOptional<z.ZodUnknown> }
}

/** The `route` of a section of the API reference, continued with `.input()` and `.output()`. */
export function routes(tag: string) {
  return <const A extends Access, const C extends ErrorCode = never>(
    endpoint: `${HTTPMethod} ${HTTPPath}`,
    access: A,
    effect: Effect,
    { summary, description, byExtension = false, errors = [], successStatus = 200 }: RouteOptions<C>,
  ) => {
    const [method, path] = endpoint.split(' ') as [HTTPMethod, HTTPPath]
    const codes = [
      ...ALWAYS,
      ...(access === 'public' ? [] : access === 'operator' ? OPERATOR : SIGNED_IN),
      ...(effect === 'rows' || effect === 'outside' ? KEYED : []),
      ...errors,
    ]
    const errorMap = Object.fromEntries(
      codes.map((code) => [
        code,
        { status: ERROR_STATUS[code], message: ERROR_TEXT[code], data: z.unknown().optional() },
      ]),
    ) as unknown as ErrorMapOf<
      C | (typeof ALWAYS)[number] | (typeof SIGNED_IN)[number] | (typeof OPERATOR)[number] | (typeof KEYED)[number]
    >
    return oc
      .$meta<OperationMeta<A>>({ access, effect, byExtension })
      .route({ method, path, summary, description, tags: [tag], successStatus })
      .errors(errorMap)
  }
}
