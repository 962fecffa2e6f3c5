import type { Delay, TemplateStep } from '@x-automated/contract/outreach/steps'

/** A template that ships with the product. */
export interface Starter {
  id: string
  name: string
  steps: TemplateStep[]
}

/** When the starters were written. */
export const STARTERS_WRITTEN_AT = new Date('2026-11-23T00:00:00Z')

const first = (messageTemplate: string) => stepOf(messageTemplate, null)
const afterDays = (amount: number, messageTemplate: string) => stepOf(messageTemplate, { amount, unit: 'days' })

function stepOf(messageTemplate: string, delay: Delay | null): TemplateStep {
  return {
    delay,
    condition: delay && 'no_reply',
    allocation: 'weights',
    switchToWinner: false,
    testWindowDays: 7,
    variants: [{ name: 'A', messageTemplate, weight: 1, isActive: true }],
  }
}

/** The texts claim nothing about the lead or the sender, so that they can be sent as they are. */
export const STARTERS: readonly Starter[] = [
  {
    name: 'One question',
    steps: [
      first(
        "Hi {first_name}, quick question: what takes up most of your week that you'd rather not do yourself? I'm collecting answers before I decide what to work on next.",
      ),
    ],
  },
  {
    name: 'Introduce yourself',
    steps: [
      first(
        "Hi {first_name}, we haven't met yet. I work with people in your field and would love to get to know you. What are you working on at the moment?",
      ),
    ],
  },
  {
    name: 'Ask for feedback',
    steps: [
      first(
        "Hi {first_name}, I'm building something for people who do what you do. What would make it useful to you? Two minutes of your time would help a lot.",
      ),
      afterDays(
        3,
        "Hi {first_name}, even one sentence about what bugs you most at work would help. If this isn't for you, no worries.",
      ),
    ],
  },
  {
    name: 'Offer help first',
    steps: [
      first(
        "Hi {first_name}, is there something at work right now where a second pair of eyes would help? I'm happy to take a look and tell you what I think.",
      ),
      afterDays(
        5,
        "Hi {first_name}, my offer still stands: send me one thing you're stuck on, and I'll tell you what I would try.",
      ),
    ],
  },
  {
    name: 'Invite to a call',
    steps: [
      first(
        "Hi {first_name}, would you be open to a short call? I'd like to show you what I'm working on and hear whether it would be useful to {company|you}. A simple no is fine, too.",
      ),
      afterDays(
        4,
        "Hi {first_name}, I know a call is a lot to ask of someone you don't know. If writing is easier, what would you want to know first?",
      ),
    ],
  },
  {
    name: 'Question, reminder, goodbye',
    steps: [
      first('Hi {first_name}, are you the right person to ask about the tools that {company|your team} uses?'),
      afterDays(3, 'Hi {first_name}, just a quick reminder. A yes or no is all I need.'),
      afterDays(
        7,
        'Hi {first_name}, this is my last message about this. If it ever becomes relevant, just reply here.',
      ),
    ],
  },
].map((starter, index) => ({ ...starter, id: `01932d00-0000-7000-8000-00000000000${index + 1}` }))

/** The starters that match a list's filters. Starters are in no folder. */
export function findStarters({ folder, q }: { folder?: string | undefined; q?: string | undefined }): Starter[] {
  if (folder !== undefined) return []
  const wanted = q?.trim().toLowerCase() ?? ''
  return STARTERS.filter(({ name, steps }) =>
    [name, ...steps.flatMap(({ variants }) => variants.map((variant) => variant.messageTemplate))].some((text) =>
      text.toLowerCase().includes(wanted),
    ),
  )
}
