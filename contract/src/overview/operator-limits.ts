// This file imports no schemas, so that screens can import it cheaply.

/** Maximum number of members invited per call. Limited, because joining the waitlist waits for the call. */
export const INVITATIONS_MAX = 1_000
/** Maximum number of search results. */
export const MEMBER_RESULTS_MAX = 1_000
/** Maximum number of days of page views per request. */
export const VIEW_DAYS_MAX = 92
