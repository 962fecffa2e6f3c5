import type { ErrorCode } from '@x-automated/contract/errors'
import { Refusal } from '../refusal.ts'
import type { Db } from './open.ts'

/** Whether a query violated a unique constraint (23505), even if Drizzle wrapped the error. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: { code?: string } }
  return (cause?.code ?? code) === '23505'
}

/** Runs `work` in its own transaction. @throws Refusal `code` if it violates a unique constraint */
export async function withUniqueViolationAs<T>(db: Db, code: ErrorCode, work: (tx: Db) => Promise<T>): Promise<T> {
  try {
    return await db.transaction(work)
  } catch (error) {
    if (isUniqueViolation(error)) throw new Refusal(code)
    throw error
  }
}
