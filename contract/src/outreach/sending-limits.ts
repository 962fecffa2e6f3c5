// This file imports no schemas, so that screens can import it cheaply.

/** The default sending window on the real X. */
export const DEFAULT_HOURS = { start: '09:00', end: '18:00' }
