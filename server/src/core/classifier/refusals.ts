import type { ReplyLabel } from '@x-automated/contract/leads/leads'
import { wordPattern, wordsOf } from './text.ts'

/*
 * Signs that a text is not as positive as the model reads it: a refusal, the word "no" at its end,
 * or a negation in a different language from the rest.
 */

const REFUSALS = wordPattern(
  "not interested|no interest|no thanks|no thank you|(don't|dont|do not) want|not for me",
  'kei(n|ne)? interesse|nicht interessiert|nein danke|(will|mochte|wollen|mochten) (ich |wir )?(das |es )?nicht|brauchen? (ich |wir )?(das |es )?nicht',
  'pas interess[^ ]*|(veux|voulons|souhaite) pas|non merci|no (quiero|queremos|gracias)|no me interesa|no (em |m.)interessa|(nao|n) (quero|queremos|obrigad[oa])|nao tenho interesse|nao (me )?interessa|non (voglio|vogliamo|grazie)|non (mi|ci|me) interessa|no gracies|no grazie',
  'wil (ik )?(dit |dat |het )?niet|geen interesse|niet geinteresseerd|nee (bedankt|dank je)|nie chc(e|emy)|nie (jestem|jestesmy) zainteresow[^ ]*|nie interesuje|nie dziek[^ ]*|vill inte|inte intresser[^ ]*|ointresserad|nej tack|istemiyor[^ ]*|istemem|istemeyiz|ilgilenmiyor[^ ]*|gerek yok|hayir tesekkur[^ ]*',
  'не (хочу|хотим|надо|нужно|треба|хоче|цікав|ціка|искам|желим|желимо|интересно|интересует|интересува)[^ ]*|неинтересно|нет спасибо|нисам|не сум|не хвала|не благодар[^ ]*|لا (اريد|نريد|شكرا)|غير مهتم|لست مهتم[^ ]*|مو مهتم|مش عايز|नहीं चाहिए|nahi chahiye|nahin chahiye|interested nahi|रुचि नहीं',
  '[^ ]*(没兴趣|沒興趣|没有兴趣|沒有興趣|不感兴趣|不感興趣|(?<!目前|现在|暂时|暂)不需要|不用了|興味ない|興味が?ありません|興味がない|結構です|必要ありません|いりません)[^ ]*|관심( [^ ,]+)? ?없[^ ]*|필요( [^ ,]+)? ?없[^ ]*',
  // Languages that the model does not know
  '(tak|tidak|tdk|ga|gak|nggak|enggak) (minat|berminat|tertarik|nak|mau|butuh|perlu)|nu (vreau|multumesc)|nu ma intereseaza|nechc(i|em|eme)|nemam (zajem|zaujem)|nezajima|nezaujima|ne dekuji|nie dakujem|nej tak|nei takk|ikke interesser[^ ]*|en halua|ei (kiinnosta|kiitos)|nem (erdekel|koszonom|kerek|kell)|khong (can|quan tam|cam on)|ayoko|ayaw ko|(hindi|di) (po )?(ako )?interesado|ne (hvala|zelim|zanima|treba)|nisam zainteresir[^ ]*|hapana|sitaki|ei aitah|ei huvita|ne aciu|nedomina|ne paldies|neinterese|nuk|sipend[^ ]*',
  // Transliterations into Latin letters
  '(mne|menya|nam|eto|meni|me|ne)~ (ne|ni) (interesn|interesu|nuzhn|nado|potribn|cikav|tsikav)[^ ]*|ne (me|mi|mu|nas|ni) (interes|tsik|treb|tryab)[^ ]*|ne (interesn|interesu|nuzhn|potribn|tsikav|zainteresovan|iskam|khochu|hochu|xochu)[^ ]*|(mesh|msh|mish|mosh|mush|mo|mu) (mohtam|muhtam|3ay[ae]?z|3aw[ae]?z|me7tag|mehtag)[^ ]*|la (shukran|shokran|chokran)|ma (bghit|b[ae]?d+i|bahtam|nabi|abi)[^ ]*|den? (me|mas) endiafer[^ ]*|den endiaferomai|den (thel|8el)[^ ]*|o[xhc]+i e[fy][xh]aristo|alaghe nadar[^ ]*|nemi ?kha[^ ]*|niaz nadar[^ ]*|dilchasp[iy] nah?in?',
  '(great|lovely|nice|amazing|wonderful|awesome|more|another|total|pure|just|yet more|mehr|encore du|mas|mais|altro|meer|wiecej|mer) spam|spam (bot|account|message)|(?<!(in|my|the|to|your|from|into|as|no|not|check) )spam(?! (folder|filter|ordner|folders|filters|box|score|rate|rules|trap|traps|check))',
)

const NO =
  '(no|nope|nah|nein|nee|non|nao|nej|nie|hayir|нет|ні|не|لا|नहीं|nahi|nahin|nhi|khong|tidak|gak|nggak)( (thanks|thank you|danke|merci|gracias|obrigad[oa]|grazie|bedankt|dzieki|dziekuje|tack|sorry|спасибо))?(?= ,? ?$)'
/** The word "no" at the end, unless a word for "why" or "or" comes before it. */
const NO_AT_END = wordPattern(
  `(?<! (why|or|por que|porque|perche|pourquoi|czemu|by|oder|ou|o|of|eller|lub|czy|или|и|бы) )${NO}`,
)
/** The word "no" as a clause of its own. "not today, but next week" has none. */
const NO_CLAUSE = wordPattern(
  `(?<=(, |^ )((but|aber|mais|pero|mas|ma|maar|ale|men|ama|но|а|lekin|lakin|mutta|dar|tapi|nhung|लेकिन|पर|لكن|بس) )?)${NO}`,
)

/** Negations, each with the languages in which it is an ordinary word. */
const NEGATIONS = new Map(
  (
    [
      ['en hi', "don't dont didn't doesn't isn't not won't can't"],
      ['de', 'nicht kein keine keinen nein'],
      ['de nl', 'nee'],
      ['nl', 'niet geen'],
      ['fr it pt', 'non'],
      ['pt', 'nao'],
      ['sv', 'inte'],
      ['sv da no', 'nej'],
      ['it no pt', 'nei'],
      ['da no', 'ikke'],
      ['pl cs de', 'nie'],
      ['fi fr es nl sv da no ca de it tr', 'en'],
      ['fi de', 'ei'],
      ['cs', 'nechci nechcem nemam nezajima nezaujima nemame'],
      ['ro sv nl da no', 'nu'],
      ['hu pt', 'nem'],
      ['vi', 'khong'],
      ['id', 'tidak gak nggak enggak'],
      ['tl', 'ayaw ayoko'],
      ['hi', 'nahi nahin nhi'],
      ['tr', 'hayir degil istemiyorum yok'],
      ['ru uk bg sr', 'нет не ні'],
      ['ar fa ur', 'لا'],
      ['hi mr', 'नहीं'],
    ] as const
  ).flatMap(([languages, words]) => words.split(' ').map((word) => [word, new Set<string>(languages.split(' '))])),
) as ReadonlyMap<string, ReadonlySet<string>>

/**
 * Whether a text with a positive label also refuses. "Not today" is not a refusal if the text asks
 * for another time, nor is "not for me" if it names someone else.
 */
export function refuses(folded: string, language: string, label: ReplyLabel): boolean {
  const words = wordsOf(folded)
  const joined = ` ${words.join(' ')} `
  const signs = label === 'referral' ? [NO_CLAUSE] : [REFUSALS, label === 'later' ? NO_CLAUSE : NO_AT_END]
  return (
    signs.some((sign) => joined.search(sign) >= 0) || words.some((word) => NEGATIONS.get(word)?.has(language) === false)
  )
}
