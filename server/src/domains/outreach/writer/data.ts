/** Control, zero-width, bidi and tag characters, in which instructions can hide. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{DI}]/gu

/** Turns strangers' text into one line without invisible characters. @param max maximum length */
export function cleanText(text: string, max: number): string {
  const visible = text
    .slice(0, max * 4)
    .toWellFormed()
    .normalize('NFKC')
    .replace(/\s/g, ' ')
    .replace(INVISIBLE, '')
  return visible.replace(/ +/g, ' ').trim().slice(0, max).toWellFormed()
}

/** Put between the words of strangers' texts, so that a model sees where these texts begin and end. */
export const MARK = '\u02c6'

/** Replaces the spaces of cleaned text with marks. */
export function markText(text: string): string {
  return text.replaceAll(MARK, '').replaceAll(/[<>]/g, '').replaceAll(' ', MARK)
}

/** Replaces the marks in a fact or text from the model with spaces. */
export function unmarkText(text: string): string {
  return text.replaceAll(MARK, ' ')
}

/** Phrases that people write to models but never to people, in the languages of most attacks. */
const COMMANDS = [
  /\b(ignor\w*|disregard\w*|forget\w*|overrid\w*|bypass\w*)\b.{0,40}\b(instruct\w*|prompt\w*|rules?|above|previous|prior|before|everything|all)\b/i,
  /\b(system|developer|assistant)\s*(prompt|message|override|mode|instruction)/i,
  /(^|[\s>\]])(system|assistant)\s*[:\uff1a]/i,
  /<\|?\/?\s*(im_start|im_end|system|assistant|user|inst|endoftext)|\[\/?\s*(inst|sys|system)\s*\]|###\s*(instruction|system|response)/i,
  /\b(you are now|act as|pretend|behave as|roleplay)\b.{0,30}\b(ai|assistant|model|chatgpt|gpt|bot|dan)\b/i,
  /\b(new|real|updated|following|hidden) (instructions?|orders?)\b/i,
  /\b(jailbreak|prompt injection|(your|this|the|system) prompt|you are (an? )?(ai|language) (model|assistant))\b/i,
  // German, French, Spanish, Portuguese, Italian, Dutch, Turkish, Polish, Indonesian
  /\b(ignorier\w*|vergiss|missachte\w*)\b.{0,50}\b(anweisung\w*|regeln|alle\w*|vorherig\w*|bisherig\w*|folgend\w*)\b/i,
  /\b(ignore[rzs]?|oublie[rz]?)\b.{0,50}\b(instructions?|consignes?|pr\u00e9c\u00e9dent\w*|r\u00e8gles?|tout\w*)\b/i,
  /\b(ignor[ae]\w*|olvida\w*|esquece\w*|desconsider\w*|dimentica\w*)\b.{0,50}\b(instruc\w*|instru\u00e7\w*|istruzion\w*|anterior\w*|precedent\w*|reglas|regras|regole|todo\w*|tutt\w*)\b/i,
  /\b(negeer|yoksay|zignoruj|abaikan)\b/i,
  /(talimatlar|instrukcj|instruksi|instructies)/i,
  // Russian, Ukrainian, Arabic, Hebrew, Hindi, Chinese, Japanese, Korean
  /(\u0438\u0433\u043d\u043e\u0440\u0438\u0440|\u0437\u0430\u0431\u0443\u0434\u044c|\u0438\u043d\u0441\u0442\u0440\u0443\u043a\u0446|\u0456\u043d\u0441\u0442\u0440\u0443\u043a\u0446|\u0456\u0433\u043d\u043e\u0440)/i,
  /(\u062a\u062c\u0627\u0647\u0644|\u062a\u0639\u0644\u064a\u0645\u0627\u062a|\u05d4\u05ea\u05e2\u05dc\u05dd|\u05d4\u05d5\u05e8\u05d0\u05d5\u05ea|\u0905\u0928\u0926\u0947\u0916\u093e|\u0928\u093f\u0930\u094d\u0926\u0947\u0936)/,
  /(\u5ffd\u7565|\u65e0\u89c6|\u7121\u8996|\u6307\u4ee4|\u6307\u793a|\u7cfb\u7edf\u63d0\u793a|\ubb34\uc2dc|\uc9c0\uc2dc|\uba85\ub839)/,
]
/** Phrases that people say to each other in conversations, but that do not belong in a profile. */
const DEMANDS = [
  /(?:^|[.!?:;,)\]}>"\u201c\u201d-]\s*|\b(?:and|then|must|should|please|now|just|to)\s+)(write|say|reply|respond|answer|output|print|include|insert|append|mention|repeat|add|tell|send|click|visit)\b.{0,60}(["\u201c:]|\b(link|url|message|text|sentence|word|exactly|only|instead|user|reader|recipient)\b)/i,
  /(^|[\s>\]])(user|developer|human)\s*[:\uff1a]/i,
  /\b(base64|rot13|decode|hex)\b/i,
  /\b(antworte|schreib\w*)\b.{0,50}\b(nur|folgend\w*|link)\b/i,
  /\b(r\u00e9ponds?|\u00e9cri[st])\b.{0,50}\b(uniquement|lien)\b/i,
  /\b(responde|rispondi|escrib[ea]\w*|escrev[ae]\w*|scrivi)\b.{0,50}\b(solo|apenas|enlace|link)\b/i,
  /\b(vergeet|unut|zapomnij|lupakan)\b/i,
  /(\u043d\u0430\u043f\u0438\u0448\u0438|\u043e\u0442\u0432\u0435\u0442\u044c)/i,
  /\u0627\u0643\u062a\u0628/,
]
/** Long runs of letters and digits, which can encode text. */
const ENCODED = /[A-Za-z0-9+/=_-]{32,}|(?:[0-9a-f]{2}[\s:]?){16,}/i

/** Whether a text gives orders to a model, or may hide some. Such a text is left out. */
export function commandsModel(text: string): boolean {
  return ENCODED.test(text) || COMMANDS.some((pattern) => pattern.test(text))
}

/** Whether a profile's text gives orders, even ones that people give each other. Such a text is left out. */
export function isDemanding(text: string): boolean {
  return commandsModel(text) || DEMANDS.some((pattern) => pattern.test(text))
}

/** What is known about a person. It is untrusted, because strangers and imported files provide it. */
export interface Facts {
  name: string
  bio: string | null
  website: string | null
  /** How the lead was found, such as the account whose followers were read. */
  source: string | null
}

const CAPS: Record<keyof Facts, number> = { name: 80, bio: 500, website: 200, source: 200 }

/** The facts that may be shown to a model or used by the built-in writer, cleaned. */
export function usableFacts(facts: Facts): Record<keyof Facts, string> {
  const usable = (field: keyof Facts) => {
    const text = cleanText(facts[field] ?? '', CAPS[field])
    return isDemanding(text) ? '' : text
  }
  return { name: usable('name'), bio: usable('bio'), website: usable('website'), source: usable('source') }
}
