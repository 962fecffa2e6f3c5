// This file imports no schemas, so that screens can import it cheaply.

export const SUPPRESSION_NOTE_MAX = 500
