import { readPart } from './features.ts'
import { fold, wordsOf } from './text.ts'

/*
 * "How do I stop a campaign in your tool?" asks about the product. Only a question with one of five
 * question words and an object that is neither a message nor a person counts; all others are opt-outs.
 */

const setOf = (words: string) => new Set(words.split(' '))

/** What may come before the question word. */
const OPENING = setOf(
  'hi hey hello ok okay so and but also thanks thank you well just btw sorry quick question hallo hola ola ciao salut bonjour hoi und et y e en oh ah um please',
)
const ASKING = /^(?:(?:how|what|why|where|when)(?:'?s|'?d)?|how're)$/
const STOP_VERB = /^(?:stop(?:s|ped|ping)?|quit|unsubscribe[sd]?|optout)$/
/** Words after the verb that name no object. */
const EMPTY = setOf(
  'it this that these those them now already please then immediately forever again here there from of for to at in on with all the a an everything anything any and or so today once ever finally just your',
)
/** Messages and people: stopping them is an opt-out. */
const MESSAGES =
  /^(?:(?:messag|msg|dm|contact|text|mail|e-?mail|inbox|spam|pitch|outreach|bother|harass|annoy|ping|writ|send|sell|solicit|nag|bug|reach|follow|communicat|notif|newsletter|advert|bot)[^ ]*|ads?|me|us|myself|you|u|ya|list|lists|mailing|pm|pms)$/

/** How to stop a campaign, in other languages: only these objects count there. */
const ASKING_OTHERS =
  /^(?:wie|wo|wann|warum|was|comment|ou|quand|pourquoi|como|onde|donde|quando|cuando|come|dove|perche|hoe|waar|wanneer|waarom|jak|gdzie|kiedy|hur|var|nar|varfor|как|где|когда|почему|hvordan|hvor|miten|jak|cum|bagaimana|πως)$/
const OBJECTS =
  /^(?:campa|kampa|кампан|kampanj|campanh|sequen|sequenz|secuencia|sekwenc|sekven|последовател|automati|automaz|автоматиз|workflow|καμπαν)/
const PERSONS =
  /^(?:mich|mir|uns|moi|me|m'|nous|mi|nos|mij|ons|mnie|mi|nam|mig|oss|мне|меня|нас|нам|nachricht|message|mensaje|mensage|messagg|mensag|bericht|wiadomo|meddelande|сообщен|dms?$|kontakt|contact|contat|contatt|контакт|spam|спам|schreib|ecri|escri|scriv|schrijf|пис)/
const UNSPACED_QUESTION = /(?:如何|怎么|怎麼|怎样|怎樣|どうやって|どうすれば|どこで|方法|어떻게|어디서|언제)/u
const UNSPACED_OBJECT = /(?:活动|活動|自动化|キャンペーン|シーケンス|自動化|캠페인|시퀀스|자동화)/u
const UNSPACED_MESSAGES =
  /(?:我|私(?!达)|消息|信息|联系|聯繫|メッセージ|連絡|メール|dm|저(?:한테|에게)|나(?:한테|에게)|메시지|메세지|연락|디엠)/u

/** Whether a clause only asks how to stop something other than messages. @param clause folded words */
function asksAboutOthers(clause: string): boolean {
  const words = clause.split(' ').filter((word) => word !== '')
  const start = words.findIndex((word) => !OPENING.has(word))
  const first = words[start]
  if (first === undefined) return false
  if (ASKING_OTHERS.test(first) && words.some((word) => OBJECTS.test(word)))
    return !words.some((word) => PERSONS.test(word))
  const whole = words.join('')
  if (UNSPACED_QUESTION.test(whole)) return UNSPACED_OBJECT.test(whole) && !UNSPACED_MESSAGES.test(whole)
  if (!ASKING.test(first)) return false
  const joined = words.slice(start)
  const verb = joined.findIndex((word, at) => STOP_VERB.test(word) || (word === 'out' && joined[at - 1] === 'opt'))
  if (verb < 0) return false
  // "Why don't you stop …" and "When will you stop …" speak to the sender.
  if (!/^(?:how|what)/.test(first) && joined.slice(0, verb).some((word) => /^(?:you|u|ya|guys)$/.test(word)))
    return false
  const object = joined.slice(verb + 1)
  if (object[0] === undefined || object[0] === 'your' || /ing$/.test(object[0])) return false
  return object.some((word) => !EMPTY.has(word)) && !object.some((word) => MESSAGES.test(word))
}

/** Words without clauses that only ask how to stop something else. @param said folded words, with commas */
export function withoutStopQuestions(said: string): string {
  if (!said.includes(' ')) return said
  return said
    .split(',')
    .map((clause) => (asksAboutOthers(clause) ? ' ' : clause))
    .join(',')
}

/** Whether a clause of a text only asks how to stop something other than messages. */
export function asksHowToStop(text: string): boolean {
  return wordsOf(fold(readPart(text)))
    .join(' ')
    .split(',')
    .some(asksAboutOthers)
}
