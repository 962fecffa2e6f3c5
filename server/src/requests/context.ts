import type { FastifyBaseLogger } from 'fastify'
import type { Actor } from '../actor.ts'
import type { Services } from '../app.ts'
import type { Db } from '../db/open.ts'
import type { Progress } from './once.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The operation of the contract that was called, such as `leads.list`. */
    operation: string | null
  }
}

/** What one request carries to the operation it calls. */
export interface RequestContext extends Services {
  /** The pool, or the transaction of the request's Idempotency-Key. Services take this one. */
  db: Db
  log: FastifyBaseLogger
  request: {
    method: string
    path: string
    authorization: string | null
    idempotencyKey: string | null
    /** The client's address, as `clientAddress` writes it, and its hash with our secret. */
    address: string
    addressHash: string
    userAgent: string | null
    /** The Cookie header. Only the links of X's callback and of sign-ups look at it. */
    cookies: string | null
  }
  /** Says which operation of the contract this is: for the log and the metrics, which know only the one route of all. */
  setOperation(name: string): void
  /** Sets a header of the answer. */
  setHeader(name: string, value: string): void
  /** For effects that also talk to another service: keeps the answer in the effect's own transaction. */
  remember(tx: Db, answer: unknown): Promise<void>
  /** For those that wait for what they have begun; only with an Idempotency-Key. */
  progress?: Progress
}

export interface SignedInContext extends RequestContext {
  actor: Actor
}
