// Apart from the schemas, so that screens can have it without.

/** A note beside a suppression, in characters. */
export const SUPPRESSION_NOTE_MAX = 500
