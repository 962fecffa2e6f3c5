import { randomUUID } from 'node:crypto'
import type { ReplyLabel } from '@x-automated/contract/leads/leads'
import { DAY_MS, HOUR_MS } from '@x-automated/contract/time'
import type { VersionStep } from '../../../core/tables/sequences.ts'
import type { SamplePerson } from './rules-people.ts'

/** The account of replies before an X account is connected. It is no id at X. */
export const NO_ACCOUNT = 'sample'
/** `dms.holder` of the messages that were loaded. */
export const SAMPLE_HOLDER = 'sample'

/**
 * The handle of an invented person. At X it is longer than handles can be, so it is nobody's; the
 * stand-in X knows everyone with a valid handle.
 */
export function handleOf({ name }: SamplePerson, isRealX: boolean): string {
  const first = name
    .normalize('NFD')
    .replaceAll(/[^a-z ]/gi, '')
    .toLowerCase()
    .split(' ')[0]
  return isRealX ? `sample_person_${first}` : `sample_${first}`
}

/** What happened to the message of a founder, by their place; the others were sent it. */
export const OUTCOMES: Readonly<Record<number, Outcome>> = {
  0: { label: 'meeting', reply: 'This is timely. Does Thursday at 10 work for a call?' },
  2: {
    label: 'interested',
    reply: 'Sounds useful, tell me more. We do this by hand today.',
    answer: 'Happy to. I’ll send you two examples today.',
  },
  3: { label: 'question', reply: 'How does it work with more than one account?' },
  5: { label: 'not_interested', reply: 'Thanks, but we’re happy with what we have.' },
  7: { label: 'interested', reply: 'Yes please. Is there a trial?' },
  10: { label: 'referral', reply: 'Not my area. You should talk to our head of growth.' },
  13: { label: 'later', reply: 'Busy with a launch. Ask me again next month?' },
  18: { label: 'interested', reply: 'I was looking for something like this last week!' },
  6: 'read',
  9: 'read',
  14: 'read',
  17: 'read',
  11: 'closed',
  20: 'closed',
}
export type Outcome = { label: ReplyLabel; reply: string; answer?: string } | 'read' | 'closed'

const SENT_VARIANTS = [
  'Hi {lead_name}, I saw what you’re building and liked it. How do you find your first customers at the moment?',
  'Hi {lead_name}, quick question from one builder to another: is outreach something you do yourself?',
] as const

const variants = (...texts: string[]) =>
  texts.map((messageTemplate, place) => ({
    id: randomUUID(),
    name: 'ABCDEF'.charAt(place),
    messageTemplate,
    weight: 1,
    isActive: true,
  }))

const STEP = { kind: 'step', allocation: 'weights', switchToWinner: false, testWindowDays: 3 } as const

/** The step of the completed campaign. */
export const sentSteps = (): VersionStep[] => [
  { ...STEP, id: randomUUID(), delay: null, condition: null, variants: variants(...SENT_VARIANTS) },
]

/** The steps of the draft: two variants, then a follow-up to those who have not replied. */
export const draftSteps = (): VersionStep[] => [
  {
    ...STEP,
    id: randomUUID(),
    delay: null,
    condition: null,
    variants: variants(
      'Hi {lead_name}, your posts on growth are some of the best I read. What are you testing this month?',
      'Hi {lead_name}, we help growth teams reach the right people on X. Can I show you how in two minutes?',
    ),
  },
  {
    ...STEP,
    id: randomUUID(),
    delay: { amount: 3, unit: 'days' },
    condition: 'no_reply',
    variants: variants('Hi {lead_name}, just checking that this did not get lost. Is it worth a short chat?'),
  },
]

/** When the message to the founder at this place was sent: over six days that ended three days ago. */
export function sentAt(place: number, now: Date): Date {
  const midnight = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  return new Date(midnight - (9 - Math.floor(place / 4)) * DAY_MS + (9 + 2 * (place % 4)) * HOUR_MS + place * 131_000)
}

/** When they replied to it, between two and twenty hours later. */
export function repliedAt(place: number, now: Date): Date {
  return new Date(sentAt(place, now).getTime() + (2 + ((place * 7) % 19)) * HOUR_MS)
}

/** When people were added, some days ago. */
export const addedAt = (days: number, now: Date) => new Date(now.getTime() - days * DAY_MS)
