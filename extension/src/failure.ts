import { EXTENSION_TEXT, type ExtensionFailure } from '@x-automated/contract/outreach/extension'
import type { Problem } from './wire.ts'

/** The reply for a message that was not sent, with its text for users. */
export function failure({ code, detail }: Problem, handle = ''): ExtensionFailure {
  const error = EXTENSION_TEXT[code].replace('{handle}', () => handle).replace('{detail}', () => detail ?? '')
  return { success: false, error, code }
}

/** The browser failed before send was pressed. `send` handles later failures. */
export function unavailable(error: unknown): ExtensionFailure {
  console.error(error)
  return failure({ code: 'X_UNAVAILABLE' })
}
