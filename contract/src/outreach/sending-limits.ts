// Without schemas, so that screens can import it cheaply.

/** Default sending window if X is real. */
export const DEFAULT_HOURS = { start: '09:00', end: '18:00' }
