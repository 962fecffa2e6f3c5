// Apart from the schemas, so that screens can have it without.

/** How many unread ones are counted; beyond it the bell says 99+. */
export const UNREAD_MAX = 100
