import { wordPattern, wordsOf } from './text.ts'

const ABOUT_MESSAGES =
  '(?:messag|receiv|gett|hear|writ|contact|email|dm|text|talk|communicat|be|see|spam|bother|send|pitch|ping|harass|sell|market|solicit|reach|advertis|tagg)ing'
/** Prevents a match after words that make it a request about others, such as "Let nobody write to me". */
const ORDER = '(?<!(?:пусть|чтоб[^ ]*|нехай|хай|щоб|нека|да|niech|zeby[^ ]*|neka|da|at|aby[^ ]*) (?:[^ ,]+ ){0,4})'
const SEND =
  'send|write|post|schick|schreib|envoy|envoi|ecri|envi|mand|escrib|escrev|scriv|invi|stuur|schrijf|mail|skick|skriv|mejla|gonder|yaz|at|пиш|напиш|отправ|присыл|пришл|скин|надішл|надсил|прати|изпра|пошаљи|kirim|hantar|trimite|scri|pos|posl|posaljite|napis|wysl|pisz|lahet|laita|kuld|irj|gui|ipadala|στειλ|γραψ|ارسل|اكتب|ابعث'
const CHANNEL =
  'mail|email|e mail|mejl|maila|correo|posta|eposta|почт|пошт|имеил|імеил|poczt|sahkopost|linkedin|whatsapp|telegram|بريد|ايميل'

const NOT =
  "don't|dont|do not|not|nicht|pas|no|nao|non|niet|nie|inte|ne|не|jangan|nu|ikke|ala|alkaa|đung|dung|wag|huwag|nemoj|nemojte|ne[^ ]{4,}|[^ ]+m[ae]|[^ ]+m[ae]yin|μη|μην|لا"
const HERE =
  'here|hier|ici|aqui|aca|qui|tutaj|tu|har|buraya|burada|сюда|здесь|сюди|тут|тук|овде|sini|sem|aici|her|tanne|ide|đay|day|dito|ovdje|ovde|εδω|هنا'

/**
 * Phrases that contain an opt-out word but mean something else. They are removed before the rules
 * read a text, and the model's opt-outs do not count in texts that contain one.
 */
export const OTHER_MEANINGS = wordPattern(
  "(do not|don't|dont|can't|cant|cannot|can not|won't|wont|never|couldn't|couldnt|didn't|not|non|without|nothing will|why) stop(ping)?",
  'stop (by|over|in|at|and say|and see|and talk|and chat|reading|thinking|scrolling|laughing|smiling|wasting|losing|worrying|doing everything|the press...)',
  '(one|bus|next|first|full|last|pit|train|final|whistle|quick|a) stop',
  "(don't|dont|do not) stop ((messaging|writing|texting|contacting|dming|sending|pitching)( me| us)?)?",
  "(don't|dont|do not) hesitate to (contact|message|write|dm|text|email|call|reach out)( to)?( me| us)?",
  "(don't|dont|do not) (contact|message|dm|text|email|write|write to|ask|bother) (me|us) (here|there|about that|on (here|x|twitter|linkedin|email|whatsapp)) (but|use|call|text|email|write)",
  '(unsubscribe|opt out|opt-out|stop) (rate...|link...|page|button|list...|feature|words?|function|option)',
  '(people|leads|they|users|recipients|prospects|contacts|customers|someone|somebody|anyone)( can| could| to| also| just)? (stop|unsubscribe|opt out|block|report)...',
  'stop (when|if|once|as soon|after)',
  '(agora|ainda|no momento|por enquanto) nao|(de|por el) momento no|(por )?ahora( mismo)? no|(ich )?(mag|hasse|lese|beantworte) keine? [^ ]+',
  '(budget|progetto|conto|tutto) e( tutto)? bloccato',
  "(calendar|schedule|week|day|time|slot|month|afternoon|morning|agenda|calendly|account|card|site|link|i am|i'm|im) (is |was |got |already )?blocked( (out|off|until|till|by))?",
  'blocked (out|off|until|till|by|on|my calendar|the|some|an|a|it)',
  '(reported|reporting) (to|by|on|back|from|growth|revenue|numbers|figures|for duty)',
  "(we've|have|had|has|be|were|got|getting|been|was) (been |being )?reported",
  'nicht aufhoren',
  "(ne )?(vous |t'|t )?arretez? pas",
  'shut up and take|var anmaler [^ ]+|anmaler (man|jag) (sig|mig)|(slutat|jobbar inte) (dar|kvar) kontakta|laser (inte|inga) [^ ]+|это спам|оставьте сообщение|普段は',
  'hou(d|den)? (niet|wel)( zo)? van [^ ]+( [^ ]+)?|lees geen [^ ]+|reageer(t)? (ik )?niet op',
  '(to|czy to|to jest) spam|otrzymalismy (twoja|panstwa)|numer zgloszenia|zgloszenie( [0-9]+)?|(twoje|panstwa) zgloszeni[^ ]+|zgodne? z rodo',
  '(लगता|स्पैम) है क्या',
  '(no|non|nao) (pares?|paren|parem|fermarti|smettere)',
  // "I want to stop using Excel", in several languages
  `(we|i|they|people|companies|teams|everyone|clients|customers)( really| all| just| also| definitely| both){0,2} (should|must|need to|want to|have to|had to|will|would|can|could|might|may|plan to|are going to|'d like to|would like to|wish to|try to|tried to|decided to|'ll) (just |finally |really )?stop (?!${ABOUT_MESSAGES})[^ ]+ing`,
  `(i'd|we'd) (like|love|want|need) to stop (?!${ABOUT_MESSAGES})[^ ]+ing`,
  "(dejar|parar|smettere|arreter|d'arreter|przestac|sluta|прекратить|перестать|aufhoren|stoppen|slutte) (de |di |att |a |at |med a |met )?(d'|l')?(us|utili|anvand|uzywa|использ|gebruik|bruge|bruke|benutz)[^ ]*(?!(?: [^ ,]+){0,5} (?:mi|meu|mes|mon|moi|moj|min|мои|мой|bot|automa|mensa|messag|spam|dm|wiadom|meddel|сообщ|данн))",
  '(wij|we|ik) (moeten|moet|willen|wil|gaan|zouden)~ stoppen met (?!(bericht|mail|dm|schrij|contact|stur|spam|deze|dit))[^ ]+',
  // "No contact form on your page"
  'no contact (form|info|information|details|page|button|number|person|address|email|on (your|the|this) (page|site|website|profile))|(there is|i see|i found|i can find) no contact (on|in|at) (your|the|this)',
  'pas de contact (sur|dans|indique|visible)|(tenho|com|meu|o|interesse|interessad[oa]|vi|foco|ajuda|demora|erro|problema) no (envio|contac?to)',
  // "It does not bother me"
  'no (me|nos) molest(a|an|as|o|aron|aste|aria)(?! mas)|no molesta',
  '(nao|n) (me |nos )?(incomod|perturb|atrapalh)(a|am|ou)(?= , (?!por favor|pfv|obrigad))|non (mi |ci )?(disturb|infastid|scocci|importun)(a|ano|ava|isce)|non (mi |ci )?disturbi affatto',
  '(ca|cela|ce|vous|tu|elle|il|rien) (ne )?(me |nous )(derang|embet|importun)[^ ]* (pas|en rien)',
  '(das|es|du|sie|ihr|nein|nachricht) (stort|storst|storen|nervt|nervst|belastigt)( mich| uns| gar| uberhaupt| ja| hier){0,3} nicht',
  'не беспоко(ит|ил|ило|ила|итесь|ися)|rahatsiz et(miyor|mez|medi)[^ ]*|khong (co )?lam phien (đau|gi|ca)',
  // "The price is not given": imperatives end differently.
  `${ORDER}(ne pise|не пишет?|nie pisze|nepise)`,
  // "Nobody wrote to me", "You did not send me the price"
  'no (me|nos) ((envi|mand|llam|contact)(aste|asteis|aron|o|ado)|escrib(io|iste|ieron))',
  '(nao|n) (me |nos )?((mand|envi|cham|contat|contact)(ou|aram|aste)|escrev(eu|eram))',
  `${ORDER}(никто|никому|еще|пока|я|мы|ніхто|ще|ми)( [^ ,]+){0,3} не( [^ ,]+)? (пис|связыв|присыл|отправлял|надсил|контактир|контактув|звон|дзвон|обращал)[^ ]*(в|л|ла|ло|ли|лся|лась|лись)`,
  `${ORDER}(никои|никой)( [^ ,]+){0,3} (писа|пише|пращ|търси)[^ ]*|${ORDER}nikt( [^ ,]+){0,3} nie (kontakt|pisa|wysyl|przysyl|odzywa)[^ ]*`,
  `${ORDER}ne(kontaktoval|posilal|posielal|ozyval|obtezoval|obtazoval|volal|otravoval|zasilal|spamoval)[aoiy]?`,
  // "No message arrived"
  '(habe|hab|haben|leider|noch|bisher)( [^ ,]+){0,3} keine (nachricht|mail|dm|post|antwort)[^ ]*( [^ ,]+){0,2} (bekommen|erhalten|gesehen|gefunden)|keine (nachricht|mail|dm) (angekommen|da)',
  'pas recu( de| votre| ton| le| aucun)? (message|mail|dm)|no( he| hemos)? recib(i|ido|imos)( [^ ,]+)? (mensaj|corre|mail|dm)...|no he rebut( [^ ,]+)? missatg...|no me lleg...',
  'nao (recebi|recebemos|chegou)( [^ ,]+)? (mensag|email|link|dm)...|nessun messaggio (ricevuto|arrivato)|non (ho|abbiamo) ricevuto( [^ ,]+)? (messag|mail|email)...',
  '(heb|hebben|kreeg)( [^ ,]+){0,2} geen (bericht|mail|dm)[^ ]*( [^ ,]+)? (ontvangen|gekregen|gezien)|nie (dostal|otrzymal)[^ ]*( [^ ,]+)? (wiadomo|mail)...',
  '(fick|fatt|fik|faet|fikk)( [^ ,]+)? (inget|ingen|inga|noget|nagot|noe)( [^ ,]+)? (meddeland|besked|melding|mail|mejl|dm)...|(fick|fik|fikk) (inget|ingen|inga) (meddeland|besked|melding|mail|mejl)...',
  'ei( [^ ,]+)? viest[^ ]*( ole)? (tullut|tullu|nakynyt|saapunut)|(?<!muon )(khong|ko|chua)( he)? nhan [đd]uoc( [^ ,]+){0,2} tin...',
  'не( [^ ,]+)? (отрима|получи|приш|приход|дош|надійш)[^ ]*( [^ ,]+)? (повідомл|сообщ|съобщ)...|(сообщ|повідомл|съобщ)[^ ]* (так и )?не (приш|приход|дош|надій|прий)...',
  'لم (ت|ي)صل...|(मैसेज|मेसेज|संदेश)~ नहीं (मिला|मिले|आया|आए)|(پیغام|میسج|پیغامات)( [^ ,]+)? نہیں (ملا|ملے|آیا|آئے|پہنچا)|(我|还|還)?(没|沒)(有)?收到...|(メッセージ|メール|dm)(が|は)?(まだ)?届い(て|た)...',
  // "I reported it to my team": not "I reported you to X"
  '(?<!(te|ti|vi|os|le|les|vous|dich|euch|sie) (?:[^ ,]+ )?)(signal[^ ]*|segnalat[^ ]*|report(e|o|ei|ado|amos)?|gemeldet|lapor[^ ]*)( (?!(this|x|twitter|te|ti|vi|vous|votre|ton|tu|su|seu|tuo|vostro|kamu|anda|kalian|you|your|dich|euch|sie|ihr|dein|spam) )[^ ,]+){0,4} (team|tim|time|equip[oe]|boss?|chef[es]?|jef[ea]|capo|colleg[^ ]*|kolleg[^ ]*|manager|manajer|atasan|direc[^ ]*|direz[^ ]*)(?!( [^ ,]+){0,2} (x|twitter|moder|support|secur|sicher|segur|spam|legal|jurid|keaman))',
  '(mich|sich|uns)( (schon|bereits|noch|nicht|nie|per|mail|e|email|bei|euch|ihnen|dir|gestern|heute|lange|langst|gerade|eben|daraufhin|telefonisch)){0,5} gemeldet',
  // "Do not send it here, send it by email"
  `(?:(?:${NOT}) (?:[^ ,]+ ){0,4}(?:${HERE})(?: [^ ,]+){0,2}|(?:${HERE})(?: [^ ,]+){0,2} (?:${NOT})(?: [^ ,]+){0,2}) ,(?: (?:but|sondern|mais|sino|mas|ma|maar|ale|lecz|utan|men|ama|а|но|vaan|hanem|tapi|nego))?(?: (?:please|bitte|just|prosze|prosim|пожалуйста|lutfen))?(?: (?:${SEND})[^ ]*(?: [^ ,]+){0,4} (?:${CHANNEL})[^ ]*| (?:${CHANNEL})[^ ]* (?:${SEND})[^ ]*| (?:e?mail me|i email|iemail)[^ ]*)`,
)

/** Whether a folded text contains one of OTHER_MEANINGS. */
export function hasOtherMeaning(folded: string): boolean {
  return ` ${wordsOf(folded).join(' ')} `.search(OTHER_MEANINGS) >= 0
}
