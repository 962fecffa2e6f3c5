import type { HTTPMethod, HTTPPath } from '@orpc/contract'
import { oc } from '@orpc/contract'
import { z } from 'zod'
import { ERROR_STATUS, ERROR_TEXT, type ErrorCode } from './errors.ts'

/**
 * Who may call: anyone, members with at least this role, or operators of the product.
 * Operator operations return 404 to everyone else, with or without a token.
 */
export type Access = 'public' | 'operator' | Role
export type Role = 'viewer' | 'member' | 'admin' | 'owner'

/**
 * What a call changes: nothing, rows in one transaction, or also things outside the database.
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

export interface RouteOptions<C extends ErrorCode, A extends Access> {
  method: HTTPMethod
  path: HTTPPath
  summary: string
  tag: string
  access: A
  effect: Effect
  byExtension?: true
  /** Errors in addition to those of every operation. */
  errors?: readonly C[]
  /** 204 for responses without a body. */
  successStatus?: 200 | 204
  description?: string
}

type ErrorMapOf<C extends ErrorCode> = {
  [K in C]: { status: (typeof ERROR_STATUS)[K]; message: string; data: z.ZodOptional<z.ZodUnknown> }
}

/** Starts an operation of the contract; continue with `.input(schema)` and `.output(schema)`. */
export function route<const A extends Access, const C extends ErrorCode = never>(options: RouteOptions<C, A>) {
  const codes = [
    ...ALWAYS,
    ...(options.access === 'public' ? [] : options.access === 'operator' ? OPERATOR : SIGNED_IN),
    ...(options.effect === 'rows' || options.effect === 'outside' ? KEYED : []),
    ...(options.errors ?? []),
  ]
  const errors = Object.fromEntries(
    codes.map((code) => [
      code,
      { status: ERROR_STATUS[code], message: ERROR_TEXT[code], data: z.unknown().optional() },
    ]),
  ) as unknown as ErrorMapOf<
    C | (typeof ALWAYS)[number] | (typeof SIGNED_IN)[number] | (typeof OPERATOR)[number] | (typeof KEYED)[number]
  >
  return oc
    .$meta<OperationMeta<A>>({
      access: options.access,
      effect: options.effect,
      byExtension: options.byExtension ?? false,
    })
    .route({
      method: options.method,
      path: options.path,
      summary: options.summary,
      description: options.description,
      tags: [options.tag],
      successStatus: options.successStatus ?? 200,
    })
    .errors(errors)
}
