import type { Campaign } from '@x-automated/contract/outreach/campaigns'

/** The editable fields of a paused campaign. */
export interface Edits {
  name: string
  channel: Campaign['channel']
  /** '' means the current account. */
  xAccountId: string
  /** Like `allowReplied`, this can only be changed before launch. */
  allowRepeat: boolean
  allowReplied: boolean
}

/** Picks the editable fields of a campaign. */
export function pickEdits({ name, channel, xAccountId, allowRepeat, allowReplied }: Edits): Edits {
  return { name, channel, xAccountId, allowRepeat, allowReplied }
}

/** Only the fields that have changed. */
export function changedFields(before: Edits, after: Edits): Partial<Edits> {
  const changes: Partial<Edits> = {}
  const name = after.name.trim()
  if (name !== before.name) changes.name = name
  if (after.channel !== before.channel) changes.channel = after.channel
  if (after.xAccountId !== '' && after.xAccountId !== before.xAccountId) changes.xAccountId = after.xAccountId
  if (after.allowRepeat !== before.allowRepeat) changes.allowRepeat = after.allowRepeat
  if (after.allowReplied !== before.allowReplied) changes.allowReplied = after.allowReplied
  return changes
}
