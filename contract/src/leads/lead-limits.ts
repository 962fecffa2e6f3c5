// This file imports no schemas, so that screens can import it cheaply.

/** Maximum number of ids per call. Larger selections use `filter`. */
export const IDS_MAX = 5_000

/** Maximum number of leads that one call changes. The response has a cursor for the rest. */
export const PART_MAX = 10_000

/** Maximum number of characters in a bio. */
export const BIO_MAX = 1_000
/** Maximum number of bytes in a lead's other values together. */
export const LEAD_VALUES_MAX = 8_000

export const WORKSPACE_LEADS_MAX = 2_000_000
/** Maximum number of bytes in all leads of a workspace. */
export const WORKSPACE_BYTES_MAX = 2_000_000_000

/** Maximum length of the evidence for a contact basis. */
export const BASIS_SOURCE_MAX = 500

export const LIST_TAGS_MAX = 20
export const LIST_TAG_LENGTH_MAX = 40

/** The message that is queued for a lead if the caller gives none. */
export const DEFAULT_MESSAGE = 'Hello! I noticed your profile and wanted to connect.'
