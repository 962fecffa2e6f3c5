import type { Campaign } from '@x-automated/contract/outreach/campaigns'

/** The editable fields of a paused campaign. */
export interface Edits {
  name: string
  messageTemplate: string
  channel: Campaign['channel']
  /** '' means the current account. */
  xAccountId: string
  /** Editable until launch, like `allowReplied`. */
  allowRepeat: boolean
  allowReplied: boolean
}

export function pickEdits({ name, messageTemplate, channel, xAccountId, allowRepeat, allowReplied }: Edits): Edits {
  return { name, messageTemplate, channel, xAccountId, allowRepeat, allowReplied }
}

/** The changed fields only, because sending an unchanged message would rewrite every queued one. */
export function changedFields(before: Edits, after: Edits): Partial<Edits> {
  const changes: Partial<Edits> = {}
  const name = after.name.trim()
  const messageTemplate = after.messageTemplate.trim()
  if (name !== before.name) changes.name = name
  if (messageTemplate !== before.messageTemplate) changes.messageTemplate = messageTemplate
  if (after.channel !== before.channel) changes.channel = after.channel
  if (after.xAccountId !== '' && after.xAccountId !== before.xAccountId) changes.xAccountId = after.xAccountId
  if (after.allowRepeat !== before.allowRepeat) changes.allowRepeat = after.allowRepeat
  if (after.allowReplied !== before.allowReplied) changes.allowReplied = after.allowReplied
  return changes
}
