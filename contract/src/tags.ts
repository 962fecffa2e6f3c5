/** What tags are told apart by, beside their names. */
export const TAG_COLORS = ['gray', 'red', 'amber', 'green', 'teal', 'blue', 'violet', 'pink'] as const
export type TagColor = (typeof TAG_COLORS)[number]
