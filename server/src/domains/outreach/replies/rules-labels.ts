import { DEFAULT_OPT_OUT_WORDS } from '@x-automated/contract/outreach/replies'
import { Temporal } from 'temporal-polyfill'
import { asksToStop } from './rules.ts'
import { findDay, fold } from './rules-dates.ts'

/** What a reply says by rule. No rule matches most replies: those need a person, or a model. */
export interface RuleLabel {
  label: 'opted_out' | 'auto_reply' | 'later'
  /** When they are back or want to hear more: the start of that day. `later` always has it. */
  until: Date | null
}

/**
 * Labels opt-outs, automatic replies and requests to write again on a certain day; null: none of
 * them. @param optOutWords the workspace's own, in addition to the built-in ones
 * @param timeZone of the X account, in which days start; UTC if it is unknown
 */
export function classifyReply(
  text: string,
  { optOutWords, now, timeZone }: { optOutWords: readonly string[]; now: Date; timeZone: string },
): RuleLabel | null {
  const said = createReader(text)
  if (asksToStop(text, optOutWords) || asksToStop(text, DEFAULT_OPT_OUT_WORDS) || said.any(OPT_OUT_PHRASES)) {
    return { label: 'opted_out', until: null }
  }
  const local = localNow(now, timeZone)
  const named = () => findDay(text, local.toPlainDate().toString())
  const startOf = (day: string) =>
    new Date(Temporal.PlainDate.from(day).toZonedDateTime(local.timeZoneId).epochMilliseconds)
  if (said.any(AUTOMATIC_PHRASES)) {
    const day = named()
    return { label: 'auto_reply', until: day?.isEnd ? startOf(day.day) : null }
  }
  if (said.any(NO_INTEREST_PHRASES) || !isPutOff(said)) return null
  const day = named()
  return day && { label: 'later', until: startOf(day.day) }
}

type Reader = ReturnType<typeof createReader>

/** Asked to write later. A day alone is rather a meeting: "Let's talk on Monday". */
function isPutOff(said: Reader): boolean {
  return said.any(NOT_NOW_PHRASES) || (said.any(WRITE_AGAIN_PHRASES) && !said.any(MEETING_PHRASES))
}

function localNow(now: Date, timeZone: string): Temporal.ZonedDateTime {
  const instant = Temporal.Instant.fromEpochMilliseconds(now.getTime())
  try {
    return instant.toZonedDateTimeISO(timeZone)
  } catch (error) {
    if (error instanceof RangeError) return instant.toZonedDateTimeISO('UTC')
    throw error
  }
}

/** Scripts that write no spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** Finds phrases as whole words, without case, accents and punctuation. */
function createReader(text: string) {
  const words = wordsOf(text)
  const known = new Set(words)
  const said = ` ${words.join(' ')} `
  return {
    any: (phrases: readonly Phrase[]) =>
      phrases.some(({ first, written }) => (first === null || known.has(first)) && said.includes(written)),
  }
}

function wordsOf(text: string): string[] {
  return fold(text).match(/[\p{L}\p{N}]+(?:'[\p{L}\p{N}]+)*/gu) ?? []
}

interface Phrase {
  /** Its first word, which a text is searched for before the phrase; null without spaces. */
  first: string | null
  written: string
}

/** Splits lines at "|" into phrases. */
function phrases(...lines: string[]): Phrase[] {
  return lines
    .flatMap((line) => line.split('|'))
    .map((phrase) => {
      const words = wordsOf(phrase)
      const written = words.join(' ')
      return UNSPACED.test(written) ? { first: null, written } : { first: words[0] ?? '', written: ` ${written} ` }
    })
}

/** In 17 languages; a phrase must mean nothing else. Matching too much costs less than too little. */
const OPT_OUT_PHRASES = phrases(
  "no more messages|no more dms|don't dm|do not dm|don't text|do not text|never contact me|never message me|never dm me|quit messaging|delete my data|remove my account from|don't write me|do not write me|don't write to me",
  'abmelden|abbestellen|austragen|keine nachrichten mehr|keine weiteren nachrichten|nicht mehr schreiben|nicht mehr anschreiben|nicht mehr kontaktieren|schreib mir nicht|schreiben sie mir nicht|kontaktieren sie mich nicht|kontaktiere mich nicht|lass mich in ruhe|lassen sie mich in ruhe|löschen sie meine daten|lösch meine daten|hör auf|hören sie auf|keinen kontakt mehr',
  "arrêtez|arrête de|désabonner|désinscrire|désinscrivez|désabonnez|ne me contactez plus|ne me contacte plus|ne m'écrivez plus|ne m'écris plus|plus de messages svp|laissez-moi tranquille|laisse-moi tranquille|retirez-moi|supprimez mes données|fichez-moi la paix",
  'no me escribas|no me escriba|no me escriban|no me contactes|no me contacte|no me mandes|no me mande|no me envíes|no me envíe|no más mensajes|deja de escribirme|deje de escribirme|dejen de escribirme|deja de mandarme|darme de baja|dame de baja|deme de baja|déjame en paz|déjeme en paz|no me vuelvas a escribir|no vuelvas a escribirme|elimíname|bórrame',
  'não me escreva|não me mande|não me envie|não me contate|não me contacte|não me chame|não me perturbe|pare de|parem de|para de me|me deixe em paz|me deixa em paz|deixe-me em paz|descadastrar|me remova|remova-me|me tire da lista|sair da lista|não quero receber|cancelar inscrição',
  'non scrivermi|non mi scriva|non mi scrivete|non contattarmi|non mi contatti|smettila|smetta di|smettetela|lasciami in pace|disiscrivimi|cancellami|basta messaggi',
  'niet meer schrijven|geen berichten meer|stuur me geen|niet meer contacteren|neem geen contact|laat me met rust|uitschrijven|afmelden|hou op|houd op',
  'nie pisz|proszę nie pisać|przestań pisać|przestań|wypisz mnie|nie kontaktuj się|daj mi spokój|usuń mnie',
  'sluta skriva|sluta kontakta|skriv inte|kontakta mig inte|avregistrera|lämna mig ifred|inga fler meddelanden',
  'skriv ikke|ikke skriv|kontakt mig ikke|ikke kontakt meg|lad mig være|la meg være|meld mig fra|afmeld|avmeld meg',
  'bana yazma|bir daha yazma|mesaj atma|yazmayın|rahatsız etmeyin|rahatsız etme|listeden çıkar|abonelikten çık',
  'не пишите|не пиши|хватит писать|перестаньте|отпишите|отписаться|удалите меня|оставьте меня в покое|не беспокойте|стоп',
  'не пишіть|припиніть|відпишіть|видаліть мене',
  'jangan hubungi|jangan kirim|berhenti mengirim|berhenti menghubungi',
  'لا تراسلني|لا ترسل|توقف عن|الغاء الاشتراك|إلغاء الاشتراك|اتركني وشأني',
  '配信停止|連絡しないで|連絡はやめて|送らないで|メッセージしないで|やめてください|不要再联系|别再联系|不要再发|别再发|退订|取消订阅|不要再聯絡|別再聯絡|請勿聯絡|取消訂閱',
  '연락하지 마|보내지 마|그만 보내|그만하세요|수신 거부|수신거부',
)

const AUTOMATIC_PHRASES = phrases(
  "out of office|out of the office|ooo|automatic reply|automatic response|automatic message|auto reply|autoreply|auto response|autoresponse|autoresponder|automated reply|automated response|automated message|away until|away till|away from my desk|currently away|currently travelling|currently traveling|on vacation until|on holiday until|on leave until|on annual leave|on parental leave|on maternity leave|on paternity leave|on sick leave|i'm on vacation|i am on vacation|i'm on holiday|i am on holiday|currently on vacation|currently on holiday|limited access to|we'll get back to you|we will get back to you|we'll be in touch|we will respond|we'll respond|thank you for contacting|thanks for contacting|we have received your message|we've received your message|not monitored|unmonitored|our team will",
  'abwesenheitsnotiz|abwesenheitsmeldung|abwesenheitsassistent|automatische antwort|automatische nachricht|automatisch erstellt|automatisch generiert|nicht im büro|außer haus|im urlaub|nicht erreichbar|bin abwesend|bin derzeit abwesend|in elternzeit|wir melden uns|wir haben ihre nachricht erhalten|wir haben deine nachricht erhalten',
  'réponse automatique|message automatique|absent du bureau|absente du bureau|absence du bureau|je suis absent|je suis absente|actuellement absent|actuellement absente|je suis en vacances|actuellement en vacances|en congé|en congés|en congé maternité|nous avons bien reçu votre message|nous vous répondrons|nous reviendrons vers vous',
  'respuesta automática|mensaje automático|fuera de la oficina|fuera de oficina|estoy de vacaciones|estoy ausente|estaré ausente|estaré fuera|estoy fuera hasta|de vacaciones hasta|gracias por contactarnos|gracias por ponerte en contacto|hemos recibido tu mensaje|hemos recibido su mensaje|te responderemos|le responderemos',
  'resposta automática|mensagem automática|fora do escritório|estou de férias|de férias até|estou ausente|ausente até|estarei fora|obrigado por entrar em contato|agradecemos o seu contato|recebemos sua mensagem|recebemos a sua mensagem|responderemos em breve',
)

const NO_INTEREST_PHRASES = phrases(
  'not interested|no interest|no thanks|no thank you|kein interesse|nein danke|pas intéressé|pas intéressée|non merci|no me interesa|no estoy interesado|no estoy interesada|no gracias|não tenho interesse|não estou interessado|não estou interessada|não obrigado',
)

const NOT_NOW_PHRASES = phrases(
  'not now|not right now|not at the moment|not at this time|not yet|not until|maybe later|maybe next|maybe in|busy until|busy right now|too busy|swamped|bad time|bad timing|remind me|check back|circle back|try again|ask again|revisit',
  'nicht jetzt|jetzt nicht|gerade nicht|im moment nicht|momentan nicht|derzeit nicht|aktuell nicht|noch nicht|erst wieder|erst ab|erst im|vielleicht später|keine zeit',
  "pas maintenant|pas pour le moment|pas pour l'instant|pas avant|plus tard|trop occupé|trop occupée|pas le temps",
  'ahora no|no ahora|por ahora no|ahora mismo no|en este momento no|más adelante|más tarde|muy ocupado|muy ocupada|no hasta',
  'agora não|no momento não|por enquanto não|ainda não|mais tarde|mais para frente|mais pra frente|muito ocupado|muito ocupada',
)

const WRITE_AGAIN_PHRASES = phrases(
  'reach out|reach back|get back to me|get in touch|ping me|contact me|message me|dm me|write me|write to me|try me|ask me|follow up|hit me up|come back to me|touch base',
  'melden sie sich|melde dich|meldet euch|schreib mir|schreiben sie mir|frag mich|fragen sie mich|komm auf mich zu|kommen sie auf mich zu',
  'recontactez-moi|recontacte-moi|revenez vers moi|reviens vers moi|relancez-moi|relance-moi|écrivez-moi|écris-moi|contactez-moi|contacte-moi',
  'escríbeme|escríbame|contáctame|contácteme|vuelve a escribirme|vuelva a escribirme|pregúntame|háblame',
  'me chama|me chame|me procure|me procura|me escreva|me escreve|entre em contato|fale comigo|fala comigo|me manda mensagem',
)

const MEETING_PHRASES = phrases(
  'call|meet|meeting|zoom|demo|calendar|calendly|coffee|available|free|termin|anrufen|anruf|telefonieren|treffen|appel|appeler|rendez-vous|rdv|disponible|llamada|llamar|reunión|ligação|ligar|reunião|disponível',
)
