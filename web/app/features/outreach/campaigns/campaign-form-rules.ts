import { formatCount, formatDate } from '@x-automated/contract/format'
import type { List } from '@x-automated/contract/leads/lists'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { shorten } from '../../../ui/shorten'
import { messagesOf } from '../sequences/lint'
import { isWritten, type SequenceDraft } from '../sequences/sequence-draft'

export interface CampaignFormValues {
  name: string
  leadListId: string
  /** Include leads whom another campaign has contacted. */
  allowRepeat: boolean
  /** Include people who have replied. */
  allowReplied: boolean
  channel: Campaign['channel']
  /** '' means the current X account. */
  xAccountId: string
}

export const emptyDraft: CampaignFormValues = {
  name: '',
  leadListId: '',
  allowRepeat: false,
  allowReplied: false,
  channel: 'api',
  xAccountId: '',
}

/** Labels for whom a campaign includes. Neither option implies the other. */
export const INCLUDE_CONTACTED = {
  label: 'Include leads contacted by other campaigns',
  hint: 'Off: skip them, so nobody hears from you twice.',
}
export const INCLUDE_REPLIED = {
  label: 'Include people who replied to you',
  hint: 'Off: skip them, so you can answer them yourself. People who opted out are never included.',
}

/** Why the form cannot be saved, or null. */
export function problemOf(draft: CampaignFormValues, sequence: SequenceDraft, isSignedIn: boolean): string | null {
  if (!isSignedIn) return 'User not found. Please log in.'
  return isComplete(draft, sequence) ? null : 'Please fill in all fields: Campaign Name, Select List, and Message.'
}

/** Whether all fields are filled in. */
export function isComplete({ name, leadListId }: CampaignFormValues, sequence: SequenceDraft): boolean {
  return name.trim() !== '' && leadListId !== '' && isWritten(sequence)
}

/** '“Founders”, 2 messages': what the collapsed form contains. */
export function heldText({ name, leadListId }: CampaignFormValues, sequence: SequenceDraft): string {
  const written = messagesOf(sequence).filter(({ text }) => text.trim() !== '').length
  const parts = [
    name.trim() && `“${shorten(name.trim(), 40)}”`,
    leadListId && 'a list',
    written > 0 && formatCount(written, 'message'),
  ].filter(Boolean)
  return parts.join(', ') || 'Nothing written yet'
}

const NAME_MAX = 200

/** 'Founders, Nov 23': a campaign's name, unless the user enters one. */
export function defaultName({ name }: Pick<List, 'name'>): string {
  const day = formatDate(new Date(), { month: 'short', day: 'numeric' })
  return `${name.slice(0, NAME_MAX - day.length - 2)}, ${day}`
}

const DESCRIPTION_PREVIEW = 30

/** 'Founders (People who build in public an…)'. */
export function listOptionLabel({ name, description }: Pick<List, 'name' | 'description'>): string {
  return `${name} (${description?.trim() ? shorten(description.trim(), DESCRIPTION_PREVIEW) : 'No description'})`
}
