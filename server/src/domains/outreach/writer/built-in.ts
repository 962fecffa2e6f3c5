import { MESSAGE_MAX } from '@x-automated/contract/outreach/template'
import {
  WRITER_GOALS,
  WRITER_TONES,
  type WriterGoal,
  type WriterTone,
} from '@x-automated/contract/outreach/writer-text'
import { type Facts, usableFacts } from './data.ts'

/** A text and the parts of the profile that it quotes. */
export interface Written {
  text: string
  factsUsed: string[]
}

const GREETINGS: Record<WriterTone, readonly [string, string, string]> = {
  friendly: ['Hi {first_name},', 'Hey {first_name},', 'Hi {first_name}, hope your week is going well.'],
  professional: ['Hello {first_name},', 'Hello {first_name},', 'Hello {first_name},'],
  direct: ['Hi {first_name},', 'Hi {first_name}, a quick one:', 'Hi {first_name}, straight to the point:'],
}

/** For each goal, three reasons to write, and a question in each tone. */
const GOALS: Record<WriterGoal, { reasons: readonly [string, string, string] } & Record<WriterTone, string>> = {
  conversation: {
    reasons: [
      'I follow what [people] share here and wanted to introduce myself.',
      'your profile came up while I was looking for [people] to learn from.',
      'I am talking to [people] about how they work at the moment.',
    ],
    friendly: 'What are you working on these days?',
    professional: 'May I ask what you are focusing on this quarter?',
    direct: 'What is the one thing you are trying to fix right now?',
  },
  call: {
    reasons: [
      'I work with [people] and have an idea that could fit what you do.',
      'I would like to show you something that I made for [people].',
      'I think that a short conversation could be useful to both of us.',
    ],
    friendly: 'Would you be up for a short call this week or next?',
    professional: 'Would you be available for a 15-minute call this week or next?',
    direct: 'Do you have 15 minutes this week?',
  },
  trial: {
    reasons: [
      'I am building a product for [people], and you came to mind as someone who could judge it.',
      'I made a product for [people] and am looking for its next users.',
      'my product is new, and I am inviting a few [people] to try it.',
    ],
    friendly: 'Would you like to give it a try?',
    professional: 'May I send you the details, so that you can try it?',
    direct: 'Shall I send you access?',
  },
  feedback: {
    reasons: [
      'I am working on something for [people] and would value your opinion.',
      'before I build any further, I am asking [people] what they really need.',
      'you know this field, and I would like to learn from how you see it.',
    ],
    friendly: 'Would you mind if I asked you two questions?',
    professional: 'Would you be willing to answer two short questions?',
    direct: 'Can I ask you two questions?',
  },
  invite: {
    reasons: [
      'I am bringing [people] together and thought of you.',
      'a few [people] are joining something that I organize.',
      'I host a small group of [people], and you would fit in well.',
    ],
    friendly: 'Would you like to hear more about it?',
    professional: 'May I send you the invitation?',
    direct: 'Shall I send you the invitation?',
  },
  partner: {
    reasons: [
      'we both work with [people], and I see a way in which we could help each other.',
      'your audience and mine overlap, so I have a suggestion.',
      'I am looking for partners who know [people] well.',
    ],
    friendly: 'Would you be open to hearing the idea?',
    professional: 'Would you be open to discussing a partnership?',
    direct: 'Are you open to partnerships right now?',
  },
}

const FOLLOW_UPS: Record<WriterTone, readonly [string, string]> = {
  friendly: [
    'Hi {first_name}, I know that things get busy, so here is my note again. [ask]',
    'Hi {first_name}, this is my last message about this. If the timing is wrong, no problem at all. Should I check in later?',
  ],
  professional: [
    'Hello {first_name}, I wanted to follow up on my message. [ask]',
    'Hello {first_name}, I do not want to take up more of your time, so this is my last message. Is there a better person to ask?',
  ],
  direct: [
    'Hi {first_name}, did you see my message? [ask]',
    'Hi {first_name}, last message from me: is this relevant to you, yes or no?',
  ],
}

/** Words in a user's goal that indicate a built-in goal. */
const GOAL_WORDS: Record<Exclude<WriterGoal, 'conversation'>, RegExp> = {
  call: /\b(call|meet|meeting|demo|book|appointment|schedule)/i,
  trial: /\b(try|trial|sign ?up|product|app|beta|download|launch|buy|sell)/i,
  feedback: /\b(feedback|opinion|interview|survey|research|question|learn)/i,
  invite: /\b(invite|event|community|webinar|join|group|newsletter|podcast|space)/i,
  partner: /\b(partner|collab|affiliate|sponsor|cooperat|integrat)/i,
}

/** The built-in goal that is closest to what the user wrote. */
export function goalOf(goal = ''): WriterGoal {
  const exact = (Object.keys(WRITER_GOALS) as WriterGoal[]).find(
    (candidate) => candidate === goal.toLowerCase() || WRITER_GOALS[candidate].toLowerCase() === goal.toLowerCase(),
  )
  if (exact) return exact
  return (
    (Object.keys(GOAL_WORDS) as (keyof typeof GOAL_WORDS)[]).find((candidate) => GOAL_WORDS[candidate].test(goal)) ??
    'conversation'
  )
}

function toneOf(tone = ''): WriterTone {
  return (Object.keys(WRITER_TONES) as WriterTone[]).find((candidate) => candidate === tone.toLowerCase()) ?? 'friendly'
}

interface Wish {
  goal?: string | undefined
  audience?: string | undefined
  tone?: string | undefined
  maxLength?: number | undefined
}

/** Writes three messages, in English. If a message would be too long, its reason is left out, then its greeting. */
export function writeMessages({ goal, audience, tone, maxLength = MESSAGE_MAX }: Wish): Written[] {
  const voice = toneOf(tone)
  const people = audience?.replace(/[{}|]/g, '').trim() || 'people in your field'
  const questions = questionsOf(goalOf(goal), voice)
  return GOALS[goalOf(goal)].reasons.map((reason, index) => {
    const greeting = GREETINGS[voice][index] ?? ''
    // A function, because `$` has a special meaning in a replacement string.
    const reasonText = reason.replace('[people]', () => people)
    const start = /[.:]$/.test(greeting) ? reasonText.charAt(0).toUpperCase() + reasonText.slice(1) : reasonText
    const [question] = questions
    const texts = [`${greeting} ${start} ${question}`, `${greeting} ${lowered(question, greeting)}`, ...questions]
    return { text: firstWithin(maxLength, texts), factsUsed: [] }
  })
}

/** A goal's question in a tone, and its shortest question, which fits any length. */
function questionsOf(goal: WriterGoal, voice: WriterTone): [string, string] {
  const { [voice]: question, friendly, professional, direct } = GOALS[goal]
  const [shortest = question] = [friendly, professional, direct].sort((a, b) => a.length - b.length)
  return [question, shortest]
}

const firstWithin = (max: number, texts: readonly string[]) =>
  texts.find((text) => text.length <= max) ?? texts.at(-1) ?? ''

function lowered(text: string, greeting: string): string {
  return greeting.endsWith(',') ? text.charAt(0).toLowerCase() + text.slice(1) : text
}

/** Writes three sequences of three steps, in English. */
export function writeSequences(wish: Wish) {
  const voice = toneOf(wish.tone)
  const questions = questionsOf(goalOf(wish.goal), voice)
  const followUp = (text: string): Written => ({
    text: firstWithin(wish.maxLength ?? MESSAGE_MAX, [text.replace('[ask]', questions[0]), ...questions]),
    factsUsed: [],
  })
  const [second, last] = FOLLOW_UPS[voice]
  return writeMessages(wish).map((first, index) => ({
    steps: [
      first,
      { ...followUp(second), delay: { amount: 2 + index, unit: 'days' as const } },
      { ...followUp(last), delay: { amount: 4 + index, unit: 'days' as const } },
    ],
  }))
}

const OPENERS = [
  (words: string) => `Your bio says \u201c${words}\u201d, so I wanted to reach out.`,
  (words: string) => `I saw \u201c${words}\u201d in your bio and wanted to say hello.`,
  (words: string) => `\u201c${words}\u201d in your bio caught my eye.`,
]

/** Writes one sentence about a person, in English; null if nothing in their profile can be quoted. */
export function writeBuiltInOpener(facts: Facts): Written | null {
  const { name, bio, source } = usableFacts(facts)
  const quoted = bio
    .split(/[|\u2022\u00b7,;!?()[\]{}]+|\.(?:\s|$)| [-\u2013\u2014] /)
    .map((part) => part.trim())
    .find(isQuotable)
  if (quoted !== undefined) {
    const index = [...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % OPENERS.length
    return { text: OPENERS[index]?.(quoted) ?? '', factsUsed: [quoted] }
  }
  const account = /^@?(\w{1,15})$/.exec(source)?.[1]
  return account === undefined
    ? null
    : { text: `I found your profile through the people around ${account}.`, factsUsed: [account] }
}

/** Requests that a bio makes to its readers. */
const DEMANDS =
  /^(visit|click|join|call|dm|message|send|write|buy|pay|follow|subscribe|contact|check|get|go|act|confirm)\b/i

/** Whether a part can be quoted: two to eight words that make no request, without digits, links, handles or emoji. */
function isQuotable(part: string): boolean {
  const words = part.split(' ')
  if (DEMANDS.test(part)) return false
  return /^[\p{L}\p{M}'\u2019&+ -]{6,60}$/u.test(part) && words.length >= 2 && words.length <= 8
}
