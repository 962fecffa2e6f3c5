// Without schemas, so that screens can import it cheaply.

/** Counting unread notifications stops here. The bell then shows 99+. */
export const UNREAD_MAX = 100
