/** Every error code of the API, with its HTTP status and default text for users. */
const ERRORS = {
  INVALID_INPUT: [400, 'Some fields are invalid.'],
  INVALID_CREDENTIALS: [400, 'Invalid email or password'],
  INVALID_CODE: [400, 'This link or code is invalid or has expired.'],
  IDENTITY_REFUSED: [400, 'Error processing your Google sign-in. Please try again.'],
  X_CREDENTIALS_REFUSED: [400, 'Failed to connect Twitter account. Please check your credentials and try again.'],
  INVALID_REFERRAL_CODE: [400, 'Invalid referral code'],
  UNAUTHORIZED: [401, 'Session expired. Please log in again.'],
  FORBIDDEN: [403, 'Your role in this workspace does not allow that.'],
  EMAIL_NOT_VERIFIED: [403, 'Please confirm your email address first. We have sent you the link again.'],
  REAUTHENTICATION_NEEDED: [403, "Please confirm it's you with your password or an emailed code."],
  PLAN_LIMIT: [403, 'Your plan does not allow this.'],
  BUDGET_EXCEEDED: [403, "This month's AI budget is used up."],
  INVITATION_ADDRESS: [403, 'This invitation is for another address. Log in with the account that was invited.'],
  NOT_FOUND: [404, 'Not found.'],
  SESSION_NOT_FOUND: [404, 'Session not found or already ended'],
  PAIRING_NOT_FOUND: [404, 'Extension not found or already unpaired'],
  IDENTITY_NOT_FOUND: [404, 'Linked account not found'],
  FACTOR_NOT_FOUND: [404, 'Second factor not found'],
  LEAD_NOT_FOUND: [404, 'Lead not found or access denied'],
  LEAD_LIST_NOT_FOUND: [404, 'List not found or access denied'],
  REMOVAL_NOT_FOUND: [404, 'This was deleted more than an hour ago, or has already been restored.'],
  TAG_NOT_FOUND: [404, 'Tag not found or access denied'],
  FILTER_NOT_FOUND: [404, 'Saved filter not found or access denied'],
  CAMPAIGN_NOT_FOUND: [404, 'Campaign not found or access denied'],
  ENROLLMENT_NOT_FOUND: [404, 'Person not found in this campaign, or access denied'],
  DM_NOT_FOUND: [404, 'Message not found or access denied'],
  SCRAPE_NOT_FOUND: [404, 'Scrape not found or access denied'],
  IMPORT_NOT_FOUND: [404, 'Import not found or access denied'],
  X_ACCOUNT_NOT_FOUND: [404, 'X account not found or access denied'],
  X_APP_NOT_FOUND: [404, 'This workspace has no X app of its own.'],
  MEMBER_NOT_FOUND: [404, 'Email not found. Please sign up first.'],
  WORKSPACE_NOT_FOUND: [404, 'Workspace not found or access denied'],
  PERSON_NOT_FOUND: [404, 'This person is not in the workspace.'],
  INVITATION_NOT_FOUND: [404, 'This invitation was already used or revoked, or has expired. Ask for a new one.'],
  REFERRAL_NOT_FOUND: [404, 'Referral not found'],
  WEBHOOK_NOT_FOUND: [404, 'Webhook not found'],
  DELIVERY_NOT_FOUND: [404, 'Delivery not found'],
  CONVERSATION_NOT_FOUND: [404, 'Conversation not found or access denied'],
  REPLY_NOT_FOUND: [404, 'Reply not found or access denied'],
  NOTE_NOT_FOUND: [404, 'Note not found or access denied'],
  OFFER_NOT_FOUND: [404, 'This offer has expired, or someone has already answered it.'],
  SNIPPET_NOT_FOUND: [404, 'Snippet not found or access denied'],
  DRAFT_NOT_FOUND: [404, 'Draft not found. It may have been launched or deleted.'],
  TEMPLATE_NOT_FOUND: [404, 'Template not found or access denied'],
  OPENER_NOT_FOUND: [404, 'Opener not found or access denied'],
  SUPPRESSION_NOT_FOUND: [404, 'This person is not on your suppression list'],
  SSO_CONNECTION_NOT_FOUND: [404, 'Single sign-on is not set up here'],
  SSO_DOMAIN_NOT_FOUND: [404, 'Domain not found or access denied'],
  JOB_NOT_FOUND: [404, 'Job not found or access denied'],
  PICTURE_NOT_FOUND: [404, 'There is no such picture, or its address has expired.'],
  REPORT_NOT_FOUND: [404, 'This report does not exist, or is no longer available.'],
  API_KEY_NOT_FOUND: [404, 'API key not found or already deleted'],
  PLAN_NOT_FOUND: [404, 'Plan not found'],
  IDENTITY_TAKEN: [409, 'This Google account signs in to another account here.'],
  TAG_EXISTS: [409, 'A tag with this name already exists.'],
  FILTER_EXISTS: [409, 'A saved filter with this name already exists.'],
  SNIPPET_EXISTS: [409, 'A snippet with this shortcut already exists.'],
  TOO_MANY: [409, "You've reached the limit. Delete one first."],
  LAST_WAY_IN: [409, 'This is the last way to sign in to your account. Set a password first.'],
  LAST_OWNER: [409, 'A workspace needs an owner. Make someone else the owner first.'],
  ALREADY_IN_WORKSPACE: [409, 'This address is already in the workspace.'],
  CAMPAIGN_STATE: [409, "The campaign's status doesn't allow this."],
  CAMPAIGN_CHANNEL: [409, 'This campaign is sent by our servers, not by the extension.'],
  LEAD_LIST_IN_USE: [409, 'An active campaign uses this list. Pause the campaign first.'],
  LEAD_LIST_KIND: [409, 'A smart list contains all leads that match its filter. Change its filter instead.'],
  LEASE_LOST: [409, 'Another sender has claimed this message.'],
  DM_STATE: [409, "The message's status doesn't allow this."],
  DRAFT_CHANGED: [409, 'This draft was changed elsewhere. Load that version, or save yours as a new draft.'],
  SEQUENCE_CHANGED: [409, 'Someone else has changed this sequence. Reload it and try again.'],
  CONVERSATION_CHANGED: [409, 'There are new messages in this conversation. Read them before you answer.'],
  ENROLLMENT_STATE: [409, "This person's status in the campaign doesn't allow this."],
  DM_FAILED: [409, 'The message was not sent.'],
  LEAD_STATE: [409, 'This lead cannot be messaged now.'],
  API_KEY_STATE: [409, 'This API key is not suspended.'],
  SCRAPE_STATE: [409, "The scrape's status doesn't allow this."],
  JOB_STATE: [409, 'The job has already ended.'],
  IMPORT_STATE: [409, 'The import has already ended.'],
  REFERRAL_STATE: [409, "The referral's status doesn't allow this."],
  WEBHOOK_LIMIT: [409, "You've reached the limit of webhooks. Delete one first."],
  DELIVERY_STATE: [409, 'This webhook is disabled. Enable it first.'],
  SSO_DOMAIN_UNPROVED: [409, 'We have not found the TXT record yet. DNS can take up to an hour to show a new record.'],
  SSO_DOMAIN_TAKEN: [409, 'Another workspace has verified this domain.'],
  SUBSCRIPTION_STATE: [409, "The subscription's status doesn't allow this."],
  PAYMENT_DECLINED: [409, 'Your card was declined.'],
  PAYMENT_CONFIRMATION_NEEDED: [409, 'Your bank asks you to confirm this payment.'],
  X_SESSION_EXPIRED: [409, 'X session expired or invalid. Please enter your X credentials.'],
  X_NOT_CONNECTED: [409, 'Connect an X account first.'],
  X_APP_IN_USE: [409, 'X accounts are connected with the current X app. Changing it disconnects them.'],
  MODEL_NOT_CONFIGURED: [409, 'Connect an AI model in the settings first.'],
  IDEMPOTENCY_KEY_REUSED: [409, 'This Idempotency-Key was used for another request.'],
  IDEMPOTENCY_UNDER_WAY: [409, 'The first request with this Idempotency-Key is still running.'],
  BODY_TOO_LARGE: [413, 'The request is too large.'],
  RATE_LIMITED: [429, 'Too many requests. Please wait a moment and try again.'],
  INTERNAL: [500, 'An unexpected error occurred. Please try again.'],
  UNAVAILABLE: [503, 'A service we depend on is not responding. Please try again in a moment.'],
  X_UNAVAILABLE: [503, 'X is not responding. Please try again in a moment.'],
  X_FUNDS: [503, 'X has no credits left for this. Try again later.'],
  MODEL_UNAVAILABLE: [503, 'The AI model is not responding. Please try again in a moment.'],
  DM_UNSETTLED: [
    503,
    'X has not confirmed whether the message was sent. We are checking its conversation, so do not send it again.',
  ],
  GOOGLE_UNAVAILABLE: [503, 'Failed to sign in with Google. Please try again.'],
  PAYMENTS_UNAVAILABLE: [503, 'Failed to process payment. Please try again.'],
  NOT_READY: [503, 'The service is starting. Please try again in a moment.'],
} as const satisfies Record<string, [status: 400 | 401 | 403 | 404 | 409 | 413 | 429 | 500 | 503, text: string]>

export type ErrorCode = keyof typeof ERRORS

const column = (index: 0 | 1) => Object.fromEntries(Object.entries(ERRORS).map(([code, row]) => [code, row[index]]))
export const ERROR_STATUS = /* @__PURE__ */ column(0) as { [C in ErrorCode]: (typeof ERRORS)[C][0] }
export const ERROR_TEXT = /* @__PURE__ */ column(1) as { [C in ErrorCode]: (typeof ERRORS)[C][1] }

/** An invalid input field. `field` is a dotted path; '' is the whole body. */
export interface FieldProblem {
  field: string
  problem: string
}

/** The body of every response with status 400 or above. */
export interface ErrorEnvelope {
  success: false
  code: ErrorCode
  error: string
  details?: unknown
}

/** Whether the value is the API's error envelope. */
export function isErrorEnvelope(value: unknown): value is ErrorEnvelope {
  const { success, error, code } = (value ?? {}) as Partial<ErrorEnvelope>
  return success === false && typeof error === 'string' && typeof code === 'string'
}
