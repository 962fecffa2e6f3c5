import type { Call, Habit } from './calls.ts'

/** A stranger's text, which the prompt puts between delimiters. */
interface Quoted {
  field: string
  text: string
}

const PLAIN = [
  'Hi {first_name}, I am talking to people in your field about how they find new clients. What works for you at the moment?',
  'Hello {first_name}, your work came up while I was looking for people to learn from. Would you be open to a short call?',
  'Hi {first_name}, a quick question: what is the one thing you would like to fix first this quarter?',
]
const FOLLOW_UPS = [
  'Just following up on my note. Is this of interest to you?',
  'Last message from me. Should I check in later?',
]
const REPLIES = [
  'Thanks for your answer. Would a short call later this week suit you?',
  'Good to hear from you. What would help you most right now?',
]
const GERMAN =
  'Hallo {first_name}, ich habe gerade dein Profil gesehen und wollte mich kurz bei dir melden. Woran arbeitest du im Moment am liebsten?'

/** Writes one element of a completion, depending on what the prompt asks for. */
export function writeElement(call: Call, index: number, habit: Habit | undefined): object {
  const prompt = call.messages.map(({ content }) => content).join('\n')
  const quoted = quotedIn(prompt)
  if (habit === 'hijacked') return obey(prompt, quoted, index)
  if (/"label"/.test(prompt))
    return { label: /"(\w+)"/.exec(/labels?: ([^\n]+)/i.exec(prompt)?.[1] ?? '')?.[1] ?? 'question' }
  if (habit === 'language') return { text: GERMAN, factsUsed: [] }
  if (habit === 'long') return { text: `${PLAIN[0]} ${'This text has no end. '.repeat(500)}`, factsUsed: [] }
  if (/"steps"/.test(prompt))
    return {
      steps: [PLAIN[index % 3], ...FOLLOW_UPS].map((text, step) => ({
        text,
        factsUsed: [],
        ...(step > 0 && { delay: { amount: step + 2, unit: 'days' } }),
      })),
    }
  const bio = quoted.find(({ field }) => field === 'bio')?.text
  if (bio) {
    const words = bio
      .replace(/[^\p{L}\p{M} ].*$/u, '')
      .trim()
      .split(' ')
      .slice(0, 5)
      .join(' ')
    return words
      ? { text: `I saw that you are into ${words} and wanted to say hello.`, factsUsed: [words] }
      : { text: 'I enjoyed reading your profile.', factsUsed: [] }
  }
  if (quoted.some(({ field }) => field === 'them')) return { text: REPLIES[index % REPLIES.length], factsUsed: [] }
  if (/opens a message to a person/.test(prompt)) return { text: 'Your profile made me curious.', factsUsed: [] }
  const original = /^Text: (.+)$/ms.exec(prompt)?.[1]?.split('\n')[0]
  return { text: original ?? PLAIN[index % 3], factsUsed: [] }
}

function quotedIn(prompt: string): Quoted[] {
  const blocks = prompt.matchAll(/<data-(\w+) field="(\w+)">([\s\S]*?)<\/data-\1>/g)
  return [...blocks].map(([, , field = '', text = '']) => ({ field, text: text.replaceAll('\u02c6', ' ').trim() }))
}

/** Obeys instructions in a stranger's text, in one of several ways. */
function obey(prompt: string, quoted: Quoted[], index: number): object {
  const all = quoted.map(({ text }) => text).join(' ')
  const demanded =
    /(?:say|write|reply|answer|output|print|visit|click|dm|call|pay)[\s:"\u201c]+(.*)$/i.exec(all)?.[1] ?? all
  const link = /\S+\.\S+|@\w+|\+?\d[\d ()-]{5,}|[$\u20ac\u00a3]\s?\d+/.exec(all)?.[0] ?? 'www.evil.example'
  const ways = [
    { text: all || 'Visit www.evil.example now', factsUsed: [] },
    { text: demanded || all, factsUsed: [all] },
    { text: `Hi, have a look at ${link}`, factsUsed: [link] },
    { text: prompt.slice(0, 250), factsUsed: [] },
  ]
  const choice = (all.length + index) % ways.length
  return ways[choice] as object
}
