/** The subject of an event of GET /events. */
export const EVENT_KINDS = ['campaign', 'conversation', 'scrape', 'import', 'job', 'notification'] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** A hint that something changed, without its content. Without ids, anything of this kind may have changed. */
export interface ChangeEvent {
  kind: EventKind
  ids: string[]
}
