import type { CampaignStatus } from '@x-automated/contract/outreach/campaigns'
import { REPLIES_ONE_IN } from '@x-automated/contract/outreach/preflight'
import { NAME_FALLBACK, type Template } from '@x-automated/contract/outreach/template'

/** Status changes that a user may request. Only outcomes make a campaign `completed`. */
const NEXT: Record<CampaignStatus, readonly CampaignStatus[]> = {
  draft: ['active', 'archived'],
  paused: ['active', 'archived'],
  active: ['paused', 'archived'],
  completed: ['archived'],
  archived: [],
}

/** The effect of a requested status change. `same`: a repeated request, such as a double click, changes nothing. */
export function transition(from: CampaignStatus, to: CampaignStatus): 'changes' | 'same' | 'forbidden' {
  if (NEXT[from].includes(to)) return 'changes'
  return from === to && from !== 'archived' && from !== 'completed' ? 'same' : 'forbidden'
}

/** The error text for a forbidden transition. */
export function refusalOf(from: CampaignStatus, to: CampaignStatus): string {
  if (from === 'archived') return "An archived campaign can't be changed."
  if (from === 'completed') return 'A completed campaign can only be archived.'
  if (from === 'draft' && to === 'paused') return "A draft can't be paused. Launch it first."
  return `A campaign that is ${from} can't become ${to}.`
}

/** Whether name, template, channel and account may be changed. */
export function mayBeEdited(status: CampaignStatus): boolean {
  return status !== 'completed' && status !== 'archived'
}

/** On a new UTC day, the first read returns about this many old entries, and X charges for them again. */
const READ_AGAIN_A_DAY = 5

/** The parts of a campaign that X charges for. */
interface Billed {
  channel: 'api' | 'extension'
  people: number
  messages: number
  /** People whose X id must be looked up. */
  lookups: number
  /** Days on which messages are sent. */
  days: number
}

/**
 * Estimates what X charges for a campaign, in cents; null: nothing. One in REPLIES_ONE_IN people is
 * assumed to reply. X charges for each delivered reply, and for one read of each reply and of each
 * message sent through its API.
 */
export function billOf(
  { channel, people, messages, lookups, days }: Billed,
  { sendPriceCents, readPriceCents }: { sendPriceCents: number; readPriceCents: number },
): number | null {
  const replies = people / REPLIES_ONE_IN
  const sent = channel === 'api' ? messages : 0
  const read = sent + replies + lookups + (people > 0 ? days * READ_AGAIN_A_DAY : 0)
  const cents = sent * sendPriceCents + (read + replies) * readPriceCents
  return sendPriceCents + readPriceCents > 0 ? Math.ceil(cents) : null
}

/**
 * Returns each placeholder that may use its fallback, once and as written, with its template part
 * without the fallback.
 */
export function placeholdersWithFallback(template: Template): { place: string; part: Template[number] }[] {
  const placeholders = new Map<string, Template[number]>()
  for (const part of template) {
    if (part.kind === 'firstName')
      placeholders.set(part.fallback === NAME_FALLBACK ? '{first_name}' : `{first_name|${part.fallback}}`, {
        ...part,
        fallback: '',
      })
    if (part.kind === 'name') placeholders.set('{lead_name}', { ...part, fallback: '' })
    if (part.kind === 'opener') placeholders.set(`{ai_opener|${part.fallback}}`, { ...part, fallback: '' })
    if (part.kind === 'variable') placeholders.set(`{${part.key}|${part.fallback}}`, { ...part, fallback: '' })
  }
  return [...placeholders].map(([placeholder, part]) => ({ place: placeholder, part }))
}
