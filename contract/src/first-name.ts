import { oneLine } from './message-value.ts'

/*
 * Finds the first name in a display name. Careful rather than complete: "Hi there" is better than
 * addressing someone by a company's or a family name.
 */

const setOf = (words: string) => new Set(words.split(/\s+/))

/** Titles before a full name, or before a family name alone. */
const FORMAL_TITLE =
  /(?:dra?|prof|professor|mr|mrs|ms|mx|sir|herr|frau|engr|д-р|проф|δρ|د|م|أ|डॉ|श्री|श्रीमती|டாக்டர்|డా)(?:[./]\s*|\s+)|(?:ד["״]ר|פרופ['׳]|(?:ال)?دكتورة?|دکتر|الشيخ|المهندس|الأستاذ|ডাঃ|ආචාර්ය|ዶ\/ር)\s+|ดร\.\s*|(?:นางสาว|นาย|นาง|คุณ)(?=[ก-ฮเ-ไ])/
/** Titles before a first name. */
const FIRST_NAME_TITLE = /(?:coach|chef|captain|capt\.|uncle|md\.?|mohd\.?|মোঃ)\s+/
const TITLES = new RegExp(`^(?:(${FORMAL_TITLE.source})|${FIRST_NAME_TITLE.source})+`, 'iu')
/** Words that end a name. */
const AFTER_NAME = setOf(
  'ceo cto cfo coo cmo founder cofounder co-founder investor phd mba md cpa esq jr sr ii iii iv aka is from at',
)
const LEGAL_FORMS = setOf('inc llc ltd gmbh ag corp plc srl bv')
/** Words of organizations, publications and phrases. A name that contains one is not a person's. */
const NO_PERSON = setOf(
  'lab labs studio studios agency agence agentur media capital ventures partner ' +
    'partners consulting solutions software technologies tech digital marketing hq group team official support news ' +
    'podcast magazine newsletter letter weekly club community academy institute university foundation fundación ' +
    'stiftung association network systems app apps games banco shop store expert hacker engineer crypto bitcoin btc ' +
    'nft web3 saas seo growth startup startups indie signals trading the my our your we i it its not just building ' +
    'making real hello women men in of with for by and und и και big new deep machine daily remote visit web ' +
    'product designer coder jobs journal times united doctor mister miss lord father brother sister test user admin ' +
    'anon anonymous unknown null undefined free save stop vote good happy',
)
const NO_PERSON_UNSPACED =
  /公司|集团|集團|大学|大學|新闻|新聞|科技|工作室|官方|公式|会社|協会|주식회사|협회|뉴스|شركة|مؤسسة|قناة|أخبار|جامعة|חברת|עמותת|ООО|студия|новости|новини|агентство|บริษัท|खबर/iu

/** Particles that, in lower case, begin a family name. */
const PARTICLES = setOf('van von der den de del della da dos das di du la le el al bin ibn ben ter ten zu zum')
const FAMILY_STARTS = /^(?:von|de|del|della|la|el|los|las|(?:al|el)-.*|.*['’]s)$/iu
/** Vietnamese family names, which come before the other names. */
const VIETNAMESE = setOf(
  'nguyễn nguyen trần tran phạm pham huỳnh huynh lê hoàng phan vũ võ đặng bùi đỗ hồ ngô dương lý',
)
const EAST_ASIAN =
  '김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진지' +
  '王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾萧蕭田董袁潘蒋蔣蔡余杜叶葉程苏蘇魏吕呂丁任沈姚卢盧姜' +
  '崔钟鍾谭譚陆陸汪范金石廖贾賈夏韦韋方白邹鄒孟熊秦邱江尹薛阎閻段雷侯龙龍史陶黎贺賀顾顧毛郝龚龔邵万萬钱錢严嚴覃武戴莫孔向汤湯'
const EAST_ASIAN_LONG = setOf('남궁 황보 선우 독고 제갈 欧阳 歐陽 司马 司馬 诸葛 諸葛 上官 夏侯')
/** Second characters of Japanese family names. Their first characters may be Chinese family names. */
const JAPANESE_SECOND = '田中本村川山野口原島崎井橋沢藤谷岡部'

const PATRONYMIC = /(?:ович|евич|ьич|овна|евна|ична|івна|ївна)$/u
/** Initials and abbreviated titles. */
const ABBREVIATION = /^(?:\p{L}|(?:[\p{L}\p{M}]{1,6}\.-?)+)$/u
/** Matches each part of a first name such as Jean-Luc or McKay. */
const NAME_PART = /^(?:(?:Mc|Mac|De|Le|La|Jo|Di|Du|Ja|Ke)?\p{Lu}[\p{Ll}\p{M}ʻʼ]+|[DO])$/u
const FIRST_NAME_MAX = 20

/**
 * Returns the first name in a display name; null if the name is not a person's, or is unclear.
 * @param handle the account's handle, without the @
 */
export function firstNameOf(name: string, handle = ''): string | null {
  const text = plain(name)
  if (/^\s*[@#$]|[®™©]|^\P{L}*\p{N}\p{L}/u.test(text)) return null
  const titled = text.replace(/^\P{L}+/u, '')
  const [titles = '', formalTitle] = TITLES.exec(titled) ?? []
  const untitled = titled.slice(titles.length)
  const tokens = tokensOf(untitled)
  const latin = tokens.filter((token) => /\p{Script=Latin}/u.test(token))
  const names = latin.length > 0 ? latin : tokens
  const [first = ''] = names
  if (names.length === 1 && first.toLowerCase() === handle.toLowerCase()) return null
  if (/^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/u.test(first))
    return ofCased(names, formalTitle !== undefined)
  if (/^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(first))
    return untitled.includes('・') ? first : ofEastAsian(names)
  const [own = '', next] = names.filter((token) => !ABBREVIATION.test(token))
  if (/^(?:عبد|أبو|ابو|أم|ام)$/.test(own)) return next ? `${own} ${next}` : null
  return own === '' || /^(?:ال|(?:بن|ابن|آل)$)/.test(own) ? null : own
}

/** Puts a name on one line, with plain letters for mathematical, circled, full-width and struck-out ones. */
function plain(name: string): string {
  return oneLine(name)
    .normalize('NFC')
    .replace(/[\u2460-\u24ff\uff01-\uff5e\u{1d400}-\u{1d7ff}]/gu, (letter) => letter.normalize('NFKC'))
    .replace(/[\u0334-\u0338\u0640]/g, '')
}

/** Returns the words up to the first emoji, bar, bracket or role; none if they are not a person's name. */
function tokensOf(text: string): string[] {
  const end = `${text}|`.search(/\s-|[^\p{L}\p{M}\p{N}\p{Join_C}'’.ʻʼ_・\s-]/u)
  const [head, rest] = [text.slice(0, end), text.slice(end)]
  const keyOf = (word: string) => word.toLowerCase().replace(/\.$/, '')
  const all = head.split(/[\s・]+/u).filter((word) => word !== '')
  const last = all.findIndex((word) => AFTER_NAME.has(keyOf(word)))
  const tokens = last < 0 ? all : all.slice(0, last)
  const next = /^,\s*([\p{L}-]+)/u.exec(rest)?.[1] ?? ''
  const isRole = AFTER_NAME.has(keyOf(next)) || NO_PERSON.has(keyOf(next))
  const isFamilyName = tokens.length === 1 && /^\p{Lu}/u.test(next) && !isRole
  const isPerson =
    !isFamilyName &&
    tokens.length <= 6 &&
    !/^[&+]/.test(rest) &&
    !(rest.startsWith('@') && /\S$/.test(head)) &&
    ![...tokens, next].some((word) => LEGAL_FORMS.has(keyOf(word))) &&
    !tokens.some((word) => NO_PERSON.has(keyOf(word))) &&
    !NO_PERSON_UNSPACED.test(head)
  return isPerson ? tokens : []
}

/** @param isFormal whether a formal title precedes the name: a single name after it is a family name */
function ofCased(tokens: readonly string[], isFormal: boolean): string | null {
  const start = tokens.findIndex((token) => !ABBREVIATION.test(token))
  const names = start < 0 ? [] : tokens.slice(start)
  if (names.length < (isFormal || start > 0 ? 2 : 1)) return null
  const [first = '', second = '', third = ''] = names
  if (PARTICLES.has(first) || FAMILY_STARTS.test(first)) return null
  const isAllUpper = names.every((token) => token === token.toUpperCase())
  if (/^abd(?:[eu]l)?$/i.test(first) && third !== '') {
    const parts = [first, second].map((token) => mended(token, isAllUpper))
    return parts.includes(null) ? null : parts.join(' ')
  }
  if (PATRONYMIC.test(third)) return mended(second, isAllUpper)
  if (VIETNAMESE.has(first.toLowerCase()) && second !== '') return mended(names.at(-1) ?? '', isAllUpper)
  const isShort = first.length < 4 && !/^\p{Lu}\p{Ll}/u.test(first)
  return names.length === 1 && isShort ? null : mended(first, isAllUpper)
}

/** Corrects the capitals of a name. Null for a handle, an abbreviation or a family name in capitals. */
function mended(token: string, isAllUpper: boolean): string | null {
  if (/^(?:J\p{Lu}|\p{Lu}J)$/u.test(token)) return token
  const isUpper = token === token.toUpperCase()
  if (isUpper && !isAllUpper) return null
  const locale = /[İığĞ]/.test(token) ? 'tr' : 'en'
  const name =
    isUpper || token === token.toLowerCase()
      ? token
          .toLocaleLowerCase(locale)
          .replace(/(?<=^|-|^mc|^[do]['’])\p{L}/gu, (letter) => letter.toLocaleUpperCase(locale))
      : token
  const isName =
    name.length <= FIRST_NAME_MAX &&
    name.split(/[-'’]/).every((part, index) => NAME_PART.test(part) || (index > 0 && /^\p{Ll}+$/u.test(part))) &&
    (!/\p{Script=Latin}/u.test(name) || /[aeiouyøæœəı]/.test(name.normalize('NFD').toLowerCase()))
  return isName ? name : null
}

/** Returns the given name, which comes last. Without a space, a given name of one character is not used alone. */
function ofEastAsian([first = '', second]: readonly string[]): string | null {
  if (second !== undefined && (first.length < 3 || !/^\p{Script=Hangul}/u.test(first))) return second
  if (!/^[\p{Script=Han}\p{Script=Hangul}]+$/u.test(first) || JAPANESE_SECOND.includes(first.charAt(1))) return null
  if (first.length === 4 && EAST_ASIAN_LONG.has(first.slice(0, 2))) return first.slice(2)
  if (!EAST_ASIAN.includes(first.charAt(0))) return null
  return first.length === 2 ? first : first.length === 3 ? first.slice(1) : null
}
