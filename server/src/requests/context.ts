import type { FastifyBaseLogger } from 'fastify'
import type { Actor } from '../actor.ts'
import type { Db } from '../db/open.ts'
import type { Services } from '../services.ts'
import type { Progress } from './once.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The operation of the contract that was called, such as `leads.list`. */
    operation?: string
    /** The outcome of the operation: `OK`, or the code of an error. */
    outcome?: string
  }
}

/** The context of one request, passed to the operation it calls. */
export interface RequestContext extends Services {
  /** `database.db`, or the transaction of the request's Idempotency-Key. Services use this one. */
  db: Db
  log: FastifyBaseLogger
  request: {
    method: string
    path: string
    /** The query string without its question mark; '' if there is none. */
    query: string
    authorization: string | null
    idempotencyKey: string | null
    /** The normalized client address. */
    address: string
    /** A keyed hash of the address. */
    addressHash: string
    /** A keyed hash of the address's /48; null for IPv4. */
    networkHash: string | null
    userAgent: string | null
    /** The Cookie header, used only by X's callback and sign-up links. */
    cookies: string | null
  }
  /** Reports the operation and its outcome to the log and the metrics, which otherwise only see one route. */
  setOutcome(operation: string, outcome: string): void
  /** Sets a response header. */
  setHeader(name: string, value: string): void
  /** For effects `outside` one transaction: stores the response in one of the effect's own transactions. */
  remember(tx: Db, result: unknown): Promise<void>
  /** Steps of the effect that a retry must not repeat. Only with an Idempotency-Key. */
  progress?: Progress
}

export interface SignedInContext extends RequestContext {
  actor: Actor
}
