import { createContext, useContext } from 'react'
import { errorText } from './api'
import { toast } from './ui/toast'

/** The user canceled reauthentication; nothing was changed. */
export class ReauthCancelled extends Error {}

/** Overrides the dialog's default prompt. */
export interface ReauthPrompt {
  text: string
  /** Redirects to an identity provider that can reauthenticate the user as well. */
  singleSignOn?: () => Promise<void>
}

/** Makes a call. If the call requires it, the user first reauthenticates. */
export type WithReauth = <T>(call: () => Promise<T>, questionOf?: (error: unknown) => ReauthPrompt) => Promise<T>

/** Set by `ReauthProvider`. Without one, calls that require reauthentication fail. */
export const ReauthContext = createContext<WithReauth>((call) => call())

/**
 * `withReauthentication(() => client.x())` asks the user to reauthenticate if the call requires it,
 * then repeats it. @throws ReauthCancelled if the user cancels, else what the call throws
 */
export function useReauthentication(): WithReauth {
  return useContext(ReauthContext)
}

/** Shows an error toast, unless the user canceled. */
export function showFailure(error: unknown, fallback?: string): void {
  if (!(error instanceof ReauthCancelled)) toast.error(errorText(error, fallback))
}
