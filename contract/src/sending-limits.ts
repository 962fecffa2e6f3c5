// Apart from the schemas, so that screens can have them without.

/** Working hours where X is the real one and nobody has set any. */
export const DEFAULT_HOURS = { start: '09:00', end: '18:00' }
