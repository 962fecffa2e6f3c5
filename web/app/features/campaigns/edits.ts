import type { Campaign } from '@x-automated/contract/campaigns'

/** What can be changed about a campaign that is paused. */
export interface Edits {
  name: string
  messageTemplate: string
  channel: Campaign['channel']
  /** '' is the current account. */
  xAccountId: string
  /** These two until the launch. */
  allowRepeat: boolean
  allowReplied: boolean
}

export function pickEdits({ name, messageTemplate, channel, xAccountId, allowRepeat, allowReplied }: Edits): Edits {
  return { name, messageTemplate, channel, xAccountId, allowRepeat, allowReplied }
}

/** What is new. A message that is as it was is not written into everything queued once more. */
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
