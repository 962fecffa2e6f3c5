// Without schemas, so that screens can import it cheaply.

/** Maximum number of ids per call. Larger selections use `filter`. */
export const IDS_MAX = 5_000

/** The maximum number of leads that one call changes. The response has a cursor for the rest. */
export const PART_MAX = 10_000

/** Maximum number of characters in a bio, and of bytes in a lead's other values together. */
export const BIO_MAX = 1_000
export const LEAD_VALUES_MAX = 8_000

/** Maximum number of leads in a workspace, and of their bytes. */
export const WORKSPACE_LEADS_MAX = 2_000_000
export const WORKSPACE_BYTES_MAX = 2_000_000_000

/** Maximum length of the evidence for a contact basis. */
export const BASIS_SOURCE_MAX = 500

/** Maximum number of tags per list, and their maximum length. */
export const LIST_TAGS_MAX = 20
export const LIST_TAG_LENGTH_MAX = 40

/** The message of a lead that is queued without one. */
export const DEFAULT_MESSAGE = 'Hello! I noticed your profile and wanted to connect.'
