// This file imports no schemas, so that screens can import it cheaply.

/** Unread notifications are counted up to this number. The bell then shows 99+. */
export const UNREAD_MAX = 100
