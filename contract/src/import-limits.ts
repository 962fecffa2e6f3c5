// Apart from the schemas, so that screens can have it without.

/** Imports of a workspace that are remembered: the newest ones. */
export const IMPORTS_KEPT = 20
