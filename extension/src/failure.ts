import { EXTENSION_TEXT, type ExtensionFailure } from '@x-automated/contract/outreach/extension'
import type { Problem } from './wire.ts'

/** Returns the reply for a message that was not sent, with the error text for users. */
export function failure({ code, detail }: Problem, handle = ''): ExtensionFailure {
  const error = EXTENSION_TEXT[code].replace('{handle}', () => handle).replace('{detail}', () => detail ?? '')
  return { success: false, error, code }
}

/** Logs a browser error from before send was pressed, and returns the reply. `send` handles later errors. */
export function unavailable(error: unknown): ExtensionFailure {
  console.error(error)
  return failure({ code: 'X_UNAVAILABLE' })
}
