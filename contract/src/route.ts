import type { HTTPMethod, HTTPPath } from '@orpc/contract'
import { oc } from '@orpc/contract'
import { z } from 'zod'
import { ERROR_STATUS, ERROR_TEXT, type ErrorCode } from './errors.ts'

/**
 * Who may call: anybody, a signed-in person with at least this role in the workspace, or an operator of the product.
 * To all but operators an operation of theirs answers as an address where nothing is: 404, with or without a token.
 */
export type Access = 'public' | 'operator' | Role
export type Role = 'viewer' | 'member' | 'admin' | 'owner'

/**
 * What a call changes.
 * `none`: it reads. `rows`: rows only, in one transaction. `outside`: it also talks to another service, or waits, outside any transaction.
 * An Idempotency-Key is honoured for the latter two, unless `unkeyed` (sign-in and its like).
 */
export type Effect = 'none' | 'rows' | 'outside' | 'unkeyed'

export interface OperationMeta {
  access: Access
  effect: Effect
  /** May a paired browser extension call it with its own token? Such a token opens nothing else. */
  byExtension: boolean
}

/** Errors that any operation may answer with; an operation declares only its own beside them. */
const ALWAYS = ['INVALID_INPUT', 'BODY_TOO_LARGE', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE', 'NOT_READY'] as const
const SIGNED_IN = ['UNAUTHORIZED', 'FORBIDDEN'] as const
const OPERATOR = ['NOT_FOUND'] as const
const KEYED = ['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_UNDER_WAY'] as const

export interface RouteOptions<C extends ErrorCode> {
  method: HTTPMethod
  path: HTTPPath
  summary: string
  tag: string
  access: Access
  effect: Effect
  byExtension?: true
  /** Declared beside those that every operation has. */
  errors?: readonly C[]
  /** 204 for an answer without a body. */
  successStatus?: 200 | 204
  description?: string
}

type ErrorMapOf<C extends ErrorCode> = {
  [K in C]: { status: (typeof ERROR_STATUS)[K]; message: string; data: z.ZodOptional<z.ZodUnknown> }
}

/**
 * The one way to begin an operation of the contract: method and path, who may call it, what it changes and every error it can answer with.
 * Go on with `.input(schema)` and `.output(schema)`.
 */
export function route<const C extends ErrorCode = never>(options: RouteOptions<C>) {
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
    .$meta<OperationMeta>({ access: options.access, effect: options.effect, byExtension: options.byExtension ?? false })
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
