import type { ErrorCode } from '@x-automated/contract/errors'
import { Refusal } from '../refusal.ts'
import type { Db } from './open.ts'

const UNIQUE_VIOLATION = '23505'

/** Runs `work` in a transaction of its own. @throws Refusal `code` where it makes something unique a second time */
export async function refuseDoubles<T>(db: Db, code: ErrorCode, work: (tx: Db) => Promise<T>): Promise<T> {
  try {
    return await db.transaction(work)
  } catch (error) {
    const fault = error as { code?: string; cause?: { code?: string } }
    if ((fault.cause?.code ?? fault.code) === UNIQUE_VIOLATION) throw new Refusal(code)
    throw error
  }
}
