import { randomUUID } from 'node:crypto'
import type { ReplyLabel } from '@x-automated/contract/leads/leads'
import { DAY_MS, HOUR_MS } from '@x-automated/contract/time'
import type { VersionStep } from '../../../core/tables/sequences.ts'

/** An invented person. */
export interface SamplePerson {
  name: string
  bio: string
  followerCount: number
  location: string
  tag: SampleTag
}

/** The tags of the sample data, with their colors. */
export const SAMPLE_TAGS = { Founder: 'green', Marketing: 'blue', 'Warm intro': 'amber' } as const
type SampleTag = keyof typeof SAMPLE_TAGS

const person = (name: string, bio: string, followerCount: number, location: string, tag: SampleTag): SamplePerson => ({
  name,
  bio,
  followerCount,
  location,
  tag,
})

/** The people of the first sample list, whose campaign is completed. */
export const FOUNDERS: readonly SamplePerson[] = [
  person(
    'Maya Ortiz',
    'Building Tidepool, invoices for freelancers. Bootstrapped since day one.',
    8_420,
    'Lisbon',
    'Founder',
  ),
  person(
    'Theo Lindqvist',
    'Solo founder. Shipping a tiny CRM in public, $4k MRR and counting.',
    3_180,
    'Stockholm',
    'Founder',
  ),
  person('Priya Raman', 'Founder of Loomly Labs. Ex-designer who learned to sell.', 15_900, 'Bengaluru', 'Warm intro'),
  person(
    'Jonas Weber',
    'Two exits, one failure, currently on number four. Developer tools.',
    22_700,
    'Berlin',
    'Founder',
  ),
  person('Aisha Bello', 'Making logistics boring in West Africa. CEO at Parcelway.', 11_250, 'Lagos', 'Founder'),
  person(
    'Sam Whitaker',
    'Indie hacker. I write about pricing and small software businesses.',
    5_640,
    'Austin',
    'Founder',
  ),
  person('Elena Petrova', 'Co-founder at Quietdesk, support software for teams of five.', 2_310, 'Sofia', 'Founder'),
  person('Kenji Mori', 'Building a habit app with 40,000 users and no investors.', 9_980, 'Osaka', 'Founder'),
  person('Clara Novak', 'Founder and only employee of Papertrail Legal. Lawyer who codes.', 1_870, 'Prague', 'Founder'),
  person('Diego Fuentes', 'Bootstrapping a booking tool for climbing gyms.', 1_240, 'Santiago', 'Founder'),
  person(
    'Hannah Brooks',
    'CEO at Fieldnote. We help researchers keep their interviews in order.',
    6_930,
    'London',
    'Warm intro',
  ),
  person(
    'Omar Haddad',
    'Founder at Stackline. Data pipelines for people who hate data pipelines.',
    18_400,
    'Dubai',
    'Founder',
  ),
  person('Ines Carvalho', 'Building Mesa, menus for small restaurants. Former chef.', 2_760, 'Porto', 'Founder'),
  person('Lukas Brandt', 'Solo SaaS. Uptime checks that do not wake you up for nothing.', 4_050, 'Vienna', 'Founder'),
  person('Naomi Clarke', 'Founder of Second Draft, an editor for newsletters.', 12_600, 'Toronto', 'Founder'),
  person('Ravi Desai', 'Building in public: a payroll tool for agencies.', 7_310, 'Mumbai', 'Founder'),
  person('Freya Olsen', 'Co-founder at Northlight. Solar planning for housing co-ops.', 3_920, 'Oslo', 'Founder'),
  person('Marcus Hill', 'I buy small SaaS products and make them better.', 27_800, 'Denver', 'Warm intro'),
  person('Yuki Tanaka', 'Designer turned founder. Making forms people like to fill in.', 10_400, 'Tokyo', 'Founder'),
  person('Beatriz Lima', 'Founder at Rota. Delivery routes for florists and bakeries.', 1_560, 'São Paulo', 'Founder'),
  person(
    'Adam Kowalski',
    'Developer, founder, father of three. Building a changelog tool.',
    2_980,
    'Kraków',
    'Founder',
  ),
  person('Zoe Martin', 'CEO at Pebble Health. Appointment reminders that sound human.', 8_870, 'Melbourne', 'Founder'),
  person('Tariq Aziz', 'Bootstrapped to 1,200 customers. Writing down what I learn.', 16_300, 'Karachi', 'Founder'),
  person('Sofie de Vries', 'Founder of Kasboek, bookkeeping for sole traders.', 4_480, 'Utrecht', 'Founder'),
]

/** The people of the second sample list, whose campaign is a draft. */
export const MARKETERS: readonly SamplePerson[] = [
  person(
    'Grace Nakamura',
    'Head of growth at a calendar app. Obsessed with onboarding.',
    13_700,
    'San Diego',
    'Marketing',
  ),
  person(
    'Peter Hansen',
    'Demand generation for B2B software. Spreadsheet enthusiast.',
    5_120,
    'Copenhagen',
    'Marketing',
  ),
  person('Lena Fischer', 'Growth marketer. I test landing pages for a living.', 7_450, 'Hamburg', 'Marketing'),
  person(
    'Carlos Medina',
    'Content lead at an analytics company. Long posts, short sentences.',
    9_060,
    'Mexico City',
    'Marketing',
  ),
  person('Amara Okafor', 'Lifecycle marketing. Your welcome email can be better.', 11_900, 'Accra', 'Marketing'),
  person('Will Turner', 'Fractional CMO for seed-stage startups.', 19_200, 'New York', 'Marketing'),
  person('Julia Rossi', 'Brand and growth at a fintech. Formerly in publishing.', 6_180, 'Milan', 'Marketing'),
  person('Noah Stein', 'Paid social for subscription apps. Numbers first.', 3_640, 'Tel Aviv', 'Marketing'),
  person('Mei Chen', 'Growth engineer. Half marketing, half TypeScript.', 14_800, 'Singapore', 'Marketing'),
  person('Patrick Doyle', 'Newsletter growth, from zero to 50,000 readers twice.', 21_500, 'Dublin', 'Marketing'),
  person('Sara Lund', 'Product marketing for developer tools.', 4_930, 'Gothenburg', 'Marketing'),
  person('Andre Silva', 'SEO without tricks. Head of organic growth.', 8_240, 'Recife', 'Marketing'),
  person('Emma Laurent', 'Community manager. I answer every single question.', 2_570, 'Lyon', 'Marketing'),
  person('Daniel Kim', 'Growth at a language app. Experiments every Tuesday.', 10_100, 'Seoul', 'Marketing'),
  person('Olivia Grant', 'Partnerships and affiliates for SaaS.', 3_310, 'Auckland', 'Marketing'),
  person('Viktor Horvat', 'Marketing automation, minus the annoying parts.', 5_870, 'Zagreb', 'Marketing'),
]

/**
 * The handle of an invented person. With the real X, it is longer than a handle can be, so it is
 * nobody's. The stand-in X knows everyone with a valid handle.
 */
export function handleOf({ name }: SamplePerson, isRealX: boolean): string {
  const first = name
    .normalize('NFD')
    .replaceAll(/[^a-z ]/gi, '')
    .toLowerCase()
    .split(' ')[0]
  return isRealX ? `sample_person_${first}` : `sample_${first}`
}

/** What happened to founders' messages, by index. All others were sent. */
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
  'Hi {first_name}, I saw what you’re building and liked it. How do you find your first customers at the moment?',
  'Hi {first_name}, quick question from one builder to another: is outreach something you do yourself?',
] as const

const variants = (...texts: string[]) =>
  texts.map((messageTemplate, index) => ({
    id: randomUUID(),
    name: 'ABCDEF'.charAt(index),
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
      'Hi {first_name}, your posts on growth are some of the best I read. What are you testing this month?',
      'Hi {first_name}, we help growth teams reach the right people on X. Can I show you how in two minutes?',
    ),
  },
  {
    ...STEP,
    id: randomUUID(),
    delay: { amount: 3, unit: 'days' },
    condition: 'no_reply',
    variants: variants('Hi {first_name}, just checking that this did not get lost. Is it worth a short chat?'),
  },
]

/** When the message to the founder with this index was sent: within six days that ended three days ago. */
export function sentAt(index: number, now: Date): Date {
  const midnight = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  return new Date(midnight - (9 - Math.floor(index / 4)) * DAY_MS + (9 + 2 * (index % 4)) * HOUR_MS + index * 131_000)
}

/** When the founder with this index replied: two to twenty hours after the message. */
export function repliedAt(index: number, now: Date): Date {
  return new Date(sentAt(index, now).getTime() + (2 + ((index * 7) % 19)) * HOUR_MS)
}

/** The time at which people were added, some days ago. */
export const addedAt = (days: number, now: Date) => new Date(now.getTime() - days * DAY_MS)
