import { implement, ORPCError } from '@orpc/server'
import { type Contract, contract, type OperationName } from '@x-automated/contract/contract'
import { ERROR_STATUS, ERROR_TEXT, type ErrorCode } from '@x-automated/contract/errors'
import { Id } from '@x-automated/contract/fields'
import type { EventKind } from '@x-automated/contract/platform/events'
import type { Access, Effect, OperationMeta, Role } from '@x-automated/contract/route'
import { DrizzleQueryError } from 'drizzle-orm/errors'
import { z } from 'zod'
import type { Actor } from './actor.ts'
import type { Database } from './db/open.ts'
import { isUnavailable } from './db/unavailable.ts'
import { authenticateOperator } from './domains/identity/auth/caller.ts'
import { Refusal } from './refusal.ts'
import { admit } from './requests/admit.ts'
import { refuseFieldsInQuery } from './requests/body-fields.ts'
import type { RequestContext } from './requests/context.ts'
import { keyedRequest, once, onceOutside } from './requests/once.ts'

const base = implement(contract).$context<RequestContext>()

/** Turns refusals into the contract's errors. Undeclared or unexpected errors are server faults. */
const refusals = base.middleware(async ({ context, next, procedure, path }) => {
  const operation = path.join('.')
  try {
    const result = await next()
    context.setOutcome(operation, 'OK')
    return result
  } catch (error) {
    const declared = asDeclaredError(error, procedure['~orpc'].errorMap, operation, context)
    context.setOutcome(operation, outcomeOf(declared))
    throw declared
  }
})

/** Repeats the first response to a request with the same Idempotency-Key. */
const idempotency = base.middleware(async ({ context, next, procedure }, input, output) => {
  const { effect } = procedure['~orpc'].meta as OperationMeta
  const { request } = context
  if (!request.idempotencyKey || (effect !== 'rows' && effect !== 'outside')) return next()
  const { actor } = context as { actor?: Actor }
  const scope = actor ? callerName(actor) : `address:${request.addressHash}`
  const keyed = keyedRequest(context.env.authSecret, scope, request.idempotencyKey, {
    method: request.method,
    // The same call in another workspace is a different request.
    path: actor ? `${actor.workspaceId} ${request.path}` : request.path,
    body: input,
  })
  const result =
    effect === 'rows'
      ? await once(context.db, keyed, async (tx) => (await next({ context: { db: tx } })).output, hasTaken)
      : await onceOutside(
          context.database,
          keyed,
          async (keeping) => (await next({ context: keeping })).output,
          hasTaken,
        )
  return output(result)
})

/** Refuses calls that would ignore a field because it is in the query string. */
const bodyFields = base.middleware(async ({ context, next, procedure }) => {
  const { inputSchema, route } = procedure['~orpc']
  const { method, query } = context.request
  if (method !== 'GET' && query !== '' && inputSchema instanceof z.ZodType)
    refuseFieldsInQuery(new URLSearchParams(query), inputSchema, route.path ?? '')
  return next()
})

/** Identifies the caller in idempotency keys, so that callers may use the same key. */
function callerName({ apiKey, userId }: Actor): string {
  return apiKey ? `key:${apiKey.id}` : `user:${userId}`
}

/** Whether a call changed anything. An empty claim (204) did not, so it is not stored: a retry may find a message. */
function hasTaken(result: unknown): boolean {
  return (result as { status?: unknown } | undefined)?.status !== 204
}

/** The events that other members get after an operation: its own entry, or else its domain's. */
const CHANGES: Partial<Record<keyof Contract | OperationName, readonly EventKind[]>> = {
  campaigns: ['campaign'],
  conversationOffers: ['conversation'],
  conversations: ['conversation'],
  // A draft is saved with each pause in typing; its service publishes when a draft begins and ends.
  'conversations.saveDraft': [],
  'conversations.undoUpdate': ['conversation', 'campaign'],
  enrollments: ['campaign'],
  leads: ['campaign', 'conversation'],
  messages: ['campaign', 'conversation'],
  notes: ['conversation'],
  // A member who leaves or becomes a viewer loses drafts and assignments.
  'people.leave': ['conversation'],
  'people.remove': ['conversation'],
  'people.update': ['conversation'],
  openers: ['campaign'],
  replies: ['conversation'],
  sequences: ['campaign'],
  suppressions: ['campaign', 'conversation'],
  tags: ['conversation'],
  templates: ['campaign'],
  'xAccount.consent': ['conversation'],
}

/** The conversation that an operation changes; undefined: none, or several. @param input not validated yet */
function changedConversation(operation: string, input: unknown): string | undefined {
  const isOne = operation.startsWith('conversations.') || operation === 'notes.create'
  // A single id that cannot be stored would keep all changes from being published.
  return isOne ? Id.safeParse((input as { id?: unknown } | undefined)?.id).data : undefined
}

/** Requires a session, extension or API key that the operation admits and that is within its rate limit. */
const guard = base.middleware(async ({ context, next, procedure, path }, input) => {
  const { effect, ...admission } = procedure['~orpc'].meta as OperationMeta<Role>
  const operation = path.join('.') as OperationName
  const actor = await admit(context, context.request.authorization, admission, context.setHeader)
  const touch = () => {
    if (effect === 'none') return
    const id = changedConversation(operation, input)
    for (const kind of CHANGES[operation] ?? CHANGES[path[0] as keyof Contract] ?? [])
      context.events.touch(actor.workspaceId, kind, kind === 'conversation' ? id : undefined)
  }
  try {
    const database = databaseFor(context, actor, operation, effect)
    const result = await next({ context: { actor, database, db: database.db } })
    if (hasTaken(result.output)) touch()
    return result
  } catch (error) {
    // A failed call may have stored something, such as the message that X rejected.
    if (effect === 'outside') touch()
    throw error
  }
})

/** Requires an operator; for everyone else the operation does not exist. */
const operatorGuard = base.middleware(async ({ context, next, procedure, path }) => {
  const { db } = context.database.for('signIn')
  const actor = await authenticateOperator({ ...context, db }, context.request.authorization)
  context.limits.countCall(actor.userId)
  const { effect } = procedure['~orpc'].meta as OperationMeta
  const database = databaseFor(context, actor, path.join('.'), effect)
  return next({ context: { actor, database, db: database.db } })
})

function databaseFor(
  { database }: RequestContext,
  { workspaceId }: Actor,
  operation: string,
  effect: Effect,
): Database {
  return database.for({ workspaceId, operation, isRead: effect === 'none', isOutside: effect === 'outside' })
}

/** The operations of an implementer that declare this access in the contract. */
type Only<Api, A extends Access> = {
  [D in keyof Contract & keyof Api]: {
    [O in keyof Contract[D] & keyof Api[D] as Contract[D][O] extends OperationFor<A> ? O : never]: Api[D][O]
  }
}
type OperationFor<A extends Access> = { '~orpc': { meta: { access: A } } }

const publicApi = base.use(refusals).use(bodyFields).use(idempotency)
const signedInApi = base.use(refusals).use(guard).use(bodyFields).use(idempotency)
const operatorApi = base.use(refusals).use(operatorGuard).use(bodyFields).use(idempotency)

// Each implements the operations of one access level, so that routes name who may call them.
// `context.actor` is the caller.
export const anyone: Only<typeof publicApi, 'public'> = publicApi
export const viewer: Only<typeof signedInApi, 'viewer'> = signedInApi
export const member: Only<typeof signedInApi, 'member'> = signedInApi
export const admin: Only<typeof signedInApi, 'admin'> = signedInApi
export const owner: Only<typeof signedInApi, 'owner'> = signedInApi
export const operator: Only<typeof operatorApi, 'operator'> = operatorApi

type DeclaredErrors = Record<string, { status?: number; message?: string } | undefined>

function asDeclaredError(
  error: unknown,
  declared: DeclaredErrors,
  operation: string,
  context: RequestContext,
): unknown {
  const refusal = asRefusal(error)
  if (!refusal) {
    // Invalid input arrives as oRPC's own error; api.ts wraps it in the envelope.
    if (error instanceof ORPCError) return error
    context.log.error({ err: error }, 'operation failed')
    return faultOf('INTERNAL')
  }
  if (!(refusal.code in declared)) {
    const fault = new Error(`${operation} refused with ${refusal.code}, which it does not declare`, { cause: refusal })
    context.log.error({ err: fault }, 'undeclared refusal')
    return faultOf('INTERNAL')
  }
  if (refusal.retryAfterSeconds !== undefined) context.setHeader('retry-after', String(refusal.retryAfterSeconds))
  return new ORPCError(refusal.code, {
    status: ERROR_STATUS[refusal.code],
    message: refusal.message,
    data: refusal.details,
  })
}

/** The code in the envelope; oRPC has its own name for invalid input. */
function outcomeOf(error: unknown): string {
  if (!(error instanceof ORPCError)) return 'INTERNAL'
  return error.code in ERROR_STATUS ? error.code : error.status === 400 ? 'INVALID_INPUT' : 'INTERNAL'
}

function faultOf(code: ErrorCode): ORPCError<string, unknown> {
  return new ORPCError(code, { status: ERROR_STATUS[code], message: ERROR_TEXT[code] })
}

/** Returns refusals, and UNAVAILABLE for a lost database; null for anything unexpected. */
export function asRefusal(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error
  // Drizzle wraps refusals thrown while taking a connection or by a statement (db/open.ts).
  if (error instanceof DrizzleQueryError && error.cause instanceof Refusal) return error.cause
  return isUnavailable(error) ? new Refusal('UNAVAILABLE', undefined, { retryAfterSeconds: 1, cause: error }) : null
}
