// Apart from the schemas, so that screens can have it without.

/** Imports of a workspace that are remembered: the newest ones. */
export const IMPORTS_KEPT = 20

/** Columns that a file of leads may have. */
export const IMPORT_COLUMNS_MAX = 200

/** Lines of a file that may be rejected as they are read. One more, and nothing of the file is imported. */
export const IMPORT_REJECTED_MAX = 100_000

/** Rejected lines that an answer names: the first ones. All are counted. */
export const IMPORT_REJECTED_NAMED = 10_000
