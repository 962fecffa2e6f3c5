import { EXTENSION_TEXT, type ExtensionFailure } from '@x-automated/contract/extension'
import type { Problem } from './wire.ts'

/** The reply that says why nothing was sent, in words for a person. */
export function failure({ code, detail }: Problem, handle = ''): ExtensionFailure {
  const error = EXTENSION_TEXT[code].replace('{handle}', () => handle).replace('{detail}', () => detail ?? '')
  return { success: false, error, code }
}

/** The browser failed us before send was pressed: `send` itself answers for what comes after. */
export function unavailable(error: unknown): ExtensionFailure {
  console.error(error)
  return failure({ code: 'X_UNAVAILABLE' })
}
