import type { CampaignStatus } from '@x-automated/contract/campaigns'
import { isId, isMoment } from '@x-automated/contract/fields'
import type { Template } from '@x-automated/contract/template'

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

/** Where a page of campaigns ends, newest first: a moment, and the id that orders what has the same one. */
export interface Place {
  at: Date
  id: string
}

export function writeCursor({ at, id }: Place): string {
  return Buffer.from(`${at.toISOString()} ${id}`).toString('base64url')
}

/** Null: none that `writeCursor` wrote. */
export function readCursor(cursor: string): Place | null {
  const [at = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  return isMoment(at) && isId(id) ? { at: new Date(at), id } : null
}

/** Places of a template that a lead may leave to their fallback, as they are written, each once, with the part that is to be filled. */
export function placesWithFallback(template: Template): { place: string; part: Template[number] }[] {
  const found = new Map<string, Template[number]>()
  for (const part of template) {
    if (part.kind === 'name') found.set('{lead_name}', { ...part, fallback: '' })
    if (part.kind === 'variable') found.set(`{${part.key}|${part.fallback}}`, { ...part, fallback: '' })
  }
  return [...found].map(([place, part]) => ({ place, part }))
}
