import { findDay } from './dates.ts'
import { readPart } from './features.ts'
import { fold, hasUnspaced, wordsOf } from './text.ts'

// Phrases that the rules look for. The model gets most of them as hints.

/** Creates a reader that finds phrases as whole words, without case, accents and punctuation. */
export function createReader(folded: string) {
  const words = plainWordsOf(folded)
  const wordSet = new Set(words)
  const joined = ` ${words.join(' ')} `
  return {
    any: (phrases: readonly Phrase[]) =>
      phrases.some(({ first, written }) => (first === null || wordSet.has(first)) && joined.includes(written)),
  }
}

const plainWordsOf = (folded: string) => wordsOf(folded).filter((word) => word !== ',')

interface Phrase {
  /** The phrase's first word, which is searched for first; null if the phrase has no spaces. */
  first: string | null
  written: string
}

/** Splits lines at "|" into phrases. */
function phrases(...lines: string[]): Phrase[] {
  return lines
    .flatMap((line) => line.split('|'))
    .map((phrase) => {
      const words = plainWordsOf(fold(phrase))
      const written = words.join(' ')
      return hasUnspaced(written) ? { first: null, written } : { first: words[0] ?? '', written: ` ${written} ` }
    })
}

export const AUTOMATIC_PHRASES = phrases(
  "out of office|out of the office|ooo|automatic reply|automatic response|automatic message|auto reply|autoreply|auto response|autoresponse|autoresponder|automated reply|automated response|automated message|away until|away till|away from my desk|currently away|currently travelling|currently traveling|on vacation until|on holiday until|on leave until|on annual leave|on parental leave|on maternity leave|on paternity leave|on sick leave|i'm on vacation|i am on vacation|i'm on holiday|i am on holiday|currently on vacation|currently on holiday|limited access to|we'll get back to you|we will get back to you|we'll be in touch|we will respond|we'll respond|thank you for contacting|thanks for contacting|we have received your message|we've received your message|not monitored|unmonitored|our team will",
  'abwesenheitsnotiz|abwesenheitsmeldung|abwesenheitsassistent|automatische antwort|automatische nachricht|automatisch erstellt|automatisch generiert|nicht im büro|außer haus|im urlaub|nicht erreichbar|bin abwesend|bin derzeit abwesend|in elternzeit|wir melden uns|wir haben ihre nachricht erhalten|wir haben deine nachricht erhalten',
  'réponse automatique|message automatique|absent du bureau|absente du bureau|absence du bureau|je suis absent|je suis absente|actuellement absent|actuellement absente|je suis en vacances|actuellement en vacances|en congé|en congés|en congé maternité|nous avons bien reçu votre message|nous vous répondrons|nous reviendrons vers vous',
  'respuesta automática|mensaje automático|fuera de la oficina|fuera de oficina|estoy de vacaciones|estoy ausente|estaré ausente|estaré fuera|estoy fuera hasta|de vacaciones hasta|gracias por contactarnos|gracias por ponerte en contacto|hemos recibido tu mensaje|hemos recibido su mensaje|te responderemos|le responderemos',
  'resposta automática|mensagem automática|fora do escritório|estou de férias|de férias até|estou ausente|ausente até|estarei fora|obrigado por entrar em contato|agradecemos o seu contato|recebemos sua mensagem|recebemos a sua mensagem|responderemos em breve',
  'risposta automatica|messaggio automatico|fuori ufficio|sono in ferie|siamo in ferie|in ferie fino|sono assente|grazie per averci contattato|abbiamo ricevuto il tuo messaggio|abbiamo ricevuto il suo messaggio|ti risponderemo|le risponderemo',
  'automatisch antwoord|automatisch bericht|automatische reactie|niet op kantoor|ik ben afwezig|ik ben op vakantie|wij zijn op vakantie|bedankt voor je bericht we|bedankt voor uw bericht we|we hebben je bericht ontvangen|wij hebben uw bericht ontvangen|we nemen zo snel mogelijk contact',
  'automatyczna odpowiedz|odpowiedz automatyczna|wiadomosc automatyczna|poza biurem|jestem na urlopie|przebywam na urlopie|otrzymalismy twoja wiadomosc|dziekujemy za wiadomosc|dziekujemy za kontakt|odpowiemy najszybciej',
  'automatiskt svar|autosvar|automatiskt meddelande|inte på kontoret|jag är på semester|jag har semester|vi har tagit emot ditt meddelande|tack för ditt meddelande vi|vi återkommer',
  'otomatik yanıt|otomatik cevap|otomatik mesaj|ofis dışındayım|izindeyim|tatildeyim|mesajınızı aldık|bize ulaştığınız için teşekkür|en kısa sürede dönüş',
  'автоответ|автоматический ответ|автоматическое сообщение|я в отпуске|нахожусь в отпуске|вне офиса|мы получили ваше сообщение|спасибо за обращение|мы ответим вам|мы свяжемся с вами',
  'رد تلقائي|رد آلي|رسالة تلقائية|خارج المكتب|انا في اجازة|أنا في إجازة|شكرا لتواصلك معنا|شكرا لتواصلكم|استلمنا رسالتك|سنرد عليك',
  'स्वचालित उत्तर|स्वचालित संदेश|ऑटो रिप्लाई|छुट्टी पर हूँ|छुट्टी पर हूं|संपर्क करने के लिए धन्यवाद|आपका संदेश मिल गया',
  '自動返信|自動応答|自動送信|不在にしております|休暇中です|お問い合わせいただきありがとうございます|お問い合わせありがとうございます|担当者より|自动回复|自動回覆|不在办公室|正在休假|感谢您的留言|感谢您的来信|我们会尽快回复|您的消息已收到',
  '자동 응답|자동응답|자동 회신|자동 답장|부재중입니다|휴가 중입니다|문의해 주셔서 감사합니다|메시지를 보내주셔서 감사합니다|빠른 시일 내에 답변',
)

export const NO_INTEREST_PHRASES = phrases(
  'not interested|no interest|no thanks|no thank you|kein interesse|nein danke|pas intéressé|pas intéressée|non merci|no me interesa|no estoy interesado|no estoy interesada|no gracias|não tenho interesse|não estou interessado|não estou interessada|não obrigado',
)

export const NOT_NOW_PHRASES = phrases(
  'not now|not right now|not at the moment|not at this time|not yet|not until|maybe later|maybe next|maybe in|busy until|busy right now|too busy|swamped|bad time|bad timing|remind me|check back|circle back|try again|ask again|revisit',
  'nicht jetzt|jetzt nicht|gerade nicht|im moment nicht|momentan nicht|derzeit nicht|aktuell nicht|noch nicht|erst wieder|erst ab|erst im|vielleicht später|keine zeit',
  "pas maintenant|pas pour le moment|pas pour l'instant|pas avant|plus tard|trop occupé|trop occupée|pas le temps",
  'ahora no|no ahora|por ahora no|ahora mismo no|en este momento no|más adelante|más tarde|muy ocupado|muy ocupada|no hasta',
  'agora não|no momento não|por enquanto não|ainda não|mais tarde|mais para frente|mais pra frente|muito ocupado|muito ocupada',
)

export const WRITE_AGAIN_PHRASES = phrases(
  'reach out|reach back|get back to me|get in touch|ping me|contact me|message me|dm me|write me|write to me|try me|ask me|follow up|hit me up|come back to me|touch base',
  'melden sie sich|melde dich|meldet euch|schreib mir|schreiben sie mir|frag mich|fragen sie mich|komm auf mich zu|kommen sie auf mich zu',
  'recontactez-moi|recontacte-moi|revenez vers moi|reviens vers moi|relancez-moi|relance-moi|écrivez-moi|écris-moi|contactez-moi|contacte-moi',
  'escríbeme|escríbame|contáctame|contácteme|vuelve a escribirme|vuelva a escribirme|pregúntame|háblame',
  'me chama|me chame|me procure|me procura|me escreva|me escreve|entre em contato|fale comigo|fala comigo|me manda mensagem',
)

export const MEETING_PHRASES = phrases(
  'call|meet|meeting|zoom|demo|calendar|calendly|coffee|available|free|termin|anrufen|anruf|telefonieren|treffen|appel|appeler|rendez-vous|rdv|disponible|llamada|llamar|reunión|ligação|ligar|reunião|disponível',
)

const HINTS = {
  'no interest': NO_INTEREST_PHRASES,
  'not now': NOT_NOW_PHRASES,
  'write again': WRITE_AGAIN_PHRASES,
  meeting: MEETING_PHRASES,
}

/** The hints that the rules give the model about a text. */
export function hintsOf(text: string): string[] {
  const reader = createReader(fold(readPart(text)))
  // The day itself does not matter: the model only learns that the text names one.
  const day = findDay(text, '2026-06-01')
  return [
    ...Object.entries(HINTS).flatMap(([name, phrases]) => (reader.any(phrases) ? [name] : [])),
    ...(day ? ['day', ...(day.isEnd ? ['end'] : [])] : []),
  ]
}
