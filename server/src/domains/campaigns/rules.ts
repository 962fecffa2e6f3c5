import type { CampaignStatus } from '@x-automated/contract/campaigns'

/** What a status may become by a person's wish (specification §4). `completed` comes of outcomes alone. */
const NEXT: Record<CampaignStatus, readonly CampaignStatus[]> = {
  draft: ['active', 'archived'],
  paused: ['active', 'archived'],
  active: ['paused', 'archived'],
  completed: ['archived'],
  archived: [],
}

/** `same`: asked for again, as by a second click; nothing changes. */
export function transition(from: CampaignStatus, to: CampaignStatus): 'changes' | 'same' | 'forbidden' {
  if (NEXT[from].includes(to)) return 'changes'
  return from === to && from !== 'archived' && from !== 'completed' ? 'same' : 'forbidden'
}

/** Why a wish is refused, as a text to show. */
export function refusalOf(from: CampaignStatus, to: CampaignStatus): string {
  if (from === 'archived') return 'An archived campaign cannot be changed any more.'
  if (from === 'completed') return 'A completed campaign can only be archived.'
  if (from === 'draft' && to === 'paused') return 'A draft is not running yet: launch it first.'
  return `A campaign that is ${from} cannot become ${to}.`
}

/** Name, template, channel and account may be changed until it is over. */
export function mayBeEdited(status: CampaignStatus): boolean {
  return status !== 'completed' && status !== 'archived'
}
