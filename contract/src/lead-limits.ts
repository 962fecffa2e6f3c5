// Apart from the schemas, so that screens can have them without.

/** Ids that one call may name; larger selections go by `filter`. */
export const IDS_MAX = 5_000

/** Leads that one call changes: where a filter means more, its answer says where the next call goes on. */
export const PART_MAX = 10_000
