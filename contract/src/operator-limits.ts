// Apart from the schemas, so that screens can have them without.

/** Members that one call invites at most: all joins wait meanwhile. */
export const INVITATIONS_MAX = 1_000
/** A search finds no more than this; type more of the address. */
export const FOUND_MEMBERS_MAX = 1_000
/** Days of views that are read at once. */
export const VIEW_DAYS_MAX = 92
