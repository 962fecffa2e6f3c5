// This file imports no schemas, so that screens can import it cheaply.

/** Number of imports kept per workspace, newest first. */
export const IMPORTS_KEPT = 20

export const IMPORT_COLUMNS_MAX = 200

/** Maximum number of rejected lines. A file with more is not imported at all. */
export const IMPORT_REJECTED_MAX = 100_000

/** Maximum number of rejected lines that a response lists. All are counted. */
export const IMPORT_REJECTED_NAMED = 10_000
