/**
 * Every error the API can answer with, and its HTTP status (../shared api.md, Conventions).
 * The table is exhaustive: a code that is not here cannot be thrown, and each code has exactly one status.
 */
export const ERROR_STATUS = {
  INVALID_INPUT: 400,
  INVALID_CREDENTIALS: 400,
  INVALID_CODE: 400,
  IDENTITY_REFUSED: 400,
  X_CREDENTIALS_REFUSED: 400,
  INVALID_REFERRAL_CODE: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  EMAIL_NOT_VERIFIED: 403,
  REAUTHENTICATION_NEEDED: 403,
  PLAN_LIMIT: 403,
  INVITATION_ADDRESS: 403,
  NOT_FOUND: 404,
  SESSION_NOT_FOUND: 404,
  PAIRING_NOT_FOUND: 404,
  IDENTITY_NOT_FOUND: 404,
  FACTOR_NOT_FOUND: 404,
  LEAD_NOT_FOUND: 404,
  LEAD_LIST_NOT_FOUND: 404,
  REMOVAL_NOT_FOUND: 404,
  TAG_NOT_FOUND: 404,
  FILTER_NOT_FOUND: 404,
  CAMPAIGN_NOT_FOUND: 404,
  DM_NOT_FOUND: 404,
  SCRAPE_NOT_FOUND: 404,
  IMPORT_NOT_FOUND: 404,
  X_ACCOUNT_NOT_FOUND: 404,
  MEMBER_NOT_FOUND: 404,
  WORKSPACE_NOT_FOUND: 404,
  PERSON_NOT_FOUND: 404,
  INVITATION_NOT_FOUND: 404,
  REFERRAL_NOT_FOUND: 404,
  WEBHOOK_NOT_FOUND: 404,
  DELIVERY_NOT_FOUND: 404,
  REPLY_NOT_FOUND: 404,
  SUPPRESSION_NOT_FOUND: 404,
  SSO_CONNECTION_NOT_FOUND: 404,
  SSO_DOMAIN_NOT_FOUND: 404,
  PLAN_NOT_FOUND: 404,
  IDENTITY_TAKEN: 409,
  TAG_EXISTS: 409,
  FILTER_EXISTS: 409,
  TOO_MANY: 409,
  LAST_WAY_IN: 409,
  LAST_OWNER: 409,
  ALREADY_IN_WORKSPACE: 409,
  CAMPAIGN_STATE: 409,
  CAMPAIGN_CHANNEL: 409,
  LEAD_LIST_IN_USE: 409,
  LEAD_LIST_KIND: 409,
  LEASE_LOST: 409,
  DM_STATE: 409,
  DM_FAILED: 409,
  LEAD_STATE: 409,
  SCRAPE_STATE: 409,
  IMPORT_STATE: 409,
  REFERRAL_STATE: 409,
  WEBHOOK_LIMIT: 409,
  DELIVERY_STATE: 409,
  SSO_DOMAIN_UNPROVED: 409,
  SSO_DOMAIN_TAKEN: 409,
  SUBSCRIPTION_STATE: 409,
  PAYMENT_DECLINED: 409,
  PAYMENT_CONFIRMATION_NEEDED: 409,
  X_SESSION_EXPIRED: 409,
  X_NOT_CONNECTED: 409,
  IDEMPOTENCY_KEY_REUSED: 409,
  IDEMPOTENCY_UNDER_WAY: 409,
  BODY_TOO_LARGE: 413,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  X_UNAVAILABLE: 503,
  DM_UNSETTLED: 503,
  GOOGLE_UNAVAILABLE: 503,
  PAYMENTS_UNAVAILABLE: 503,
  NOT_READY: 503,
} as const satisfies Record<string, 400 | 401 | 403 | 404 | 409 | 413 | 429 | 500 | 503>

export type ErrorCode = keyof typeof ERROR_STATUS

/** The text a screen may show as it is, where the thrower names no better one. The specification's where it has one (§8). */
export const ERROR_TEXT = {
  INVALID_INPUT: 'Some of what was sent is not valid.',
  INVALID_CREDENTIALS: 'Invalid email or password',
  INVALID_CODE: 'This link or code is invalid or has expired.',
  IDENTITY_REFUSED: 'Error processing your Google sign-in. Please try again.',
  X_CREDENTIALS_REFUSED: 'Failed to connect Twitter account. Please check your credentials and try again.',
  INVALID_REFERRAL_CODE: 'Invalid referral code',
  UNAUTHORIZED: 'Session expired. Please log in again.',
  FORBIDDEN: 'Your role in this workspace does not allow that.',
  EMAIL_NOT_VERIFIED: 'Please confirm your email address first. We have sent you the link again.',
  REAUTHENTICATION_NEEDED: 'Please confirm that it is you first: with your password, or with a code that we mail you.',
  PLAN_LIMIT: 'This goes beyond what your plan allows.',
  INVITATION_ADDRESS: 'This invitation is for another address. Log in with the account that it was mailed to.',
  NOT_FOUND: 'There is nothing here.',
  PAIRING_NOT_FOUND: 'Extension not found or already unpaired',
  SESSION_NOT_FOUND: 'Session not found or already ended',
  IDENTITY_NOT_FOUND: 'Linked account not found',
  FACTOR_NOT_FOUND: 'Second factor not found',
  LEAD_NOT_FOUND: 'Lead not found or access denied',
  LEAD_LIST_NOT_FOUND: 'List not found or access denied',
  REMOVAL_NOT_FOUND: 'This was deleted more than an hour ago, or is back already.',
  TAG_NOT_FOUND: 'Tag not found or access denied',
  FILTER_NOT_FOUND: 'Saved filter not found or access denied',
  CAMPAIGN_NOT_FOUND: 'Campaign not found or access denied',
  DM_NOT_FOUND: 'Message not found or access denied',
  SCRAPE_NOT_FOUND: 'Scrape not found or access denied',
  IMPORT_NOT_FOUND: 'Import not found or access denied',
  X_ACCOUNT_NOT_FOUND: 'X account not found or access denied',
  MEMBER_NOT_FOUND: 'Email not found. Please sign up first.',
  WORKSPACE_NOT_FOUND: 'Workspace not found or access denied',
  PERSON_NOT_FOUND: 'This person is not in the workspace.',
  INVITATION_NOT_FOUND: 'This invitation was used, taken back, or has expired. Ask for a new one.',
  REFERRAL_NOT_FOUND: 'Referral not found',
  WEBHOOK_NOT_FOUND: 'Webhook not found',
  DELIVERY_NOT_FOUND: 'Delivery not found',
  REPLY_NOT_FOUND: 'Reply not found or access denied',
  SUPPRESSION_NOT_FOUND: 'Nobody like that is on your suppression list',
  SSO_CONNECTION_NOT_FOUND: 'Single sign-on is not set up here',
  SSO_DOMAIN_NOT_FOUND: 'Domain not found or access denied',
  PLAN_NOT_FOUND: 'There is no such plan.',
  IDENTITY_TAKEN: 'This Google account signs in to another account here.',
  TAG_EXISTS: 'There is a tag of this name already.',
  FILTER_EXISTS: 'There is a saved filter of this name already.',
  TOO_MANY: 'There are as many of these as there may be.',
  LAST_OWNER: 'A workspace always has an owner. Make somebody else the owner first.',
  ALREADY_IN_WORKSPACE: 'This address is in the workspace already.',
  LAST_WAY_IN: 'This is the last way to sign in to your account. Set a password first.',
  CAMPAIGN_STATE: 'The campaign is not in a state that allows this.',
  CAMPAIGN_CHANNEL: 'This campaign is sent by our servers, not by the extension.',
  LEAD_LIST_IN_USE: 'An active campaign uses this list. Pause the campaign first.',
  LEAD_LIST_KIND: 'A smart list holds whoever matches its filter. Change its filter instead.',
  LEASE_LOST: 'Another sender holds this message.',
  DM_STATE: 'The message is not in a state that allows this.',
  DM_FAILED: 'The message was not sent.',
  LEAD_STATE: 'This lead cannot be written to now.',
  SCRAPE_STATE: 'The scrape is not in a state that allows this.',
  IMPORT_STATE: 'The import has ended already.',
  REFERRAL_STATE: 'The referral is not in a state that allows this.',
  WEBHOOK_LIMIT: 'There are as many webhooks as there can be. Delete one first.',
  DELIVERY_STATE: 'This webhook is disabled. Enable it first.',
  SSO_DOMAIN_UNPROVED: 'The TXT record was not found yet. DNS can take up to an hour to show a new record.',
  SSO_DOMAIN_TAKEN: 'Another workspace has proved this domain.',
  SUBSCRIPTION_STATE: 'The subscription is not in a state that allows this.',
  PAYMENT_DECLINED: 'Your card was declined.',
  PAYMENT_CONFIRMATION_NEEDED: 'Your bank asks you to confirm this payment.',
  X_SESSION_EXPIRED: 'X session expired or invalid. Please enter your X credentials.',
  X_NOT_CONNECTED: 'Connect an X account first.',
  IDEMPOTENCY_KEY_REUSED: 'This Idempotency-Key was used for another request.',
  IDEMPOTENCY_UNDER_WAY: 'The first request with this Idempotency-Key is still under way.',
  BODY_TOO_LARGE: 'What was sent is too large.',
  RATE_LIMITED: 'Too many requests. Please wait a moment and try again.',
  INTERNAL: 'An unexpected error occurred. Please try again.',
  UNAVAILABLE: 'A service we depend on is not answering. Please try again in a moment.',
  GOOGLE_UNAVAILABLE: 'Failed to sign in with Google. Please try again.',
  PAYMENTS_UNAVAILABLE: 'Failed to process payment. Please try again.',
  X_UNAVAILABLE: 'X is not answering. Please try again in a moment.',
  DM_UNSETTLED:
    'X has not said whether the message was sent. Its conversation is being read to find out, so do not send it again.',
  NOT_READY: 'The service is starting. Please try again in a moment.',
} as const satisfies Record<ErrorCode, string>

/** One field of the input and what is wrong with it; `field` is a dotted path, '' for the whole body. */
export interface FieldProblem {
  field: string
  problem: string
}

/** The body of every answer with a status of 400 or more, on every route. */
export interface ErrorEnvelope {
  success: false
  code: ErrorCode
  error: string
  details?: unknown
}

/** Is this value the API's error envelope? */
export function isErrorEnvelope(value: unknown): value is ErrorEnvelope {
  const v = value as Partial<ErrorEnvelope> | null
  return (
    typeof v === 'object' &&
    v !== null &&
    v.success === false &&
    typeof v.error === 'string' &&
    typeof v.code === 'string'
  )
}
