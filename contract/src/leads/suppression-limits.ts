// This file imports no schemas, so that screens can import it cheaply.

/** Maximum length of a note on a suppression. */
export const SUPPRESSION_NOTE_MAX = 500
