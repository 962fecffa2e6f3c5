import { readPart } from './features.ts'
import { fold, wordPattern, wordsOf } from './text.ts'

/*
 * "How do I stop these messages?" is an opt-out; "How do I stop a campaign in your tool?" asks
 * about the product. In English, a question counts as one about the product only if it has one of
 * five question words and an object that is neither a message nor a person. In other languages,
 * only some objects count.
 */

const setOf = (words: string) => new Set(words.split(' '))

/** Words that may come before the question word. */
const OPENING = setOf(
  'hi hey hello ok okay so and but also thanks thank you well just btw sorry quick question hallo hola ola ciao salut bonjour hoi und et y e en oh ah um please aber bitte mais pero mas ma maar ale men a и а но і ama peki',
)
const ASKING = /^(?:(?:how|what|why|where|when)(?:'?s|'?d)?|how're)$/
const STOP_VERB = /^(?:stop(?:s|ped|ping)?|quit|unsubscribe[sd]?|optout)$/
/** Words after the verb that are not an object. */
const EMPTY = setOf(
  'it this that these those them now already please then immediately forever again here there from of for to at in on with all the a an everything anything any and or so today once ever finally just your',
)
/** Messages and people: stopping them is an opt-out. */
const MESSAGES =
  /^(?:(?:messag|msg|dm|contact|text|e-?mail|inbox|spam|pitch|outreach|bother|harass|annoy|ping|writ|send|sell|solicit|nag|bug|reach|follow|communicat|notif|newsletter|advert|bot|receiving|getting|hearing|seeing)[^ ]*|ads?|mails?|mailing|lists?|pms?)$/
const SENDER_OR_ME = /^(?:me|us|myself|you|u|ya|guys)$/
const CAMPAIGN_NOUN = /^(?:campaigns?|sequences?|workflows?|automations?)$/
/** Things that the writer sends to others, such as ads. */
const OWN_OUTREACH = /^(?:ads?|follow[^ ]*|ups?|outreach|newsletter[^ ]*|bots?|lists?|mailing)$/
const NEGATION = /^(?:not|never|[a-z]+n't|dont|wont|cant)$/

/** Objects of questions about the product: a campaign, or the messages of other people. */
const CAMPAIGNS =
  'campa...|kampa...|кампан...|sequen...|secuencia...|sekwenc...|sekven...|последовател...|automati...|automaz...|автоматиз...|workflow...|καμπαν...|καμπάνια...|حمل...|الحمل...|अभियान...|कैंपेन...|کمپین...|kempen...|chien dich...|קמפיין...'
const OTHER_PEOPLE =
  'users?|customers?|clients?|leads?|prospects?|contacts|recipients?|subscribers?|people|someone|somebody|nutzer...|kund(e|en)|kontakte|empfanger...|abonnenten|utilisateur...|destinataire...|abonnes|usuari...|cliente...|contactos|contatos|contatti|utent...|gebruiker...|klant...|uzytkownik...|klient...|anvandare...|kunder...|kullanici...|musteri...|пользовател...|клиент...|користувач...|pelanggan|pengguna|utilizator...|uzivatel...|brugere...|brukere...|kaytta...|asiakka...|felhasznal...|korisni...'
const MESSAGES_ELSEWHERE =
  'nachricht...|messages?|messag...|mensaj...|mensage...|mensag...|missatge...|bericht...|wiadomo...|meddeland...|besked...|melding...|mesaj...|mesej...|pesan|zprav...|sprav...|viest...|uzenet...|level...|mensahe...|poruk...|tin|nhan|spam...|dms?|mp|mails?|mejl...|e?mail...|kontakt...|contact...|contat...|werbung|reklam...|publi...|pub|newsletter|verteiler|list[aey]?|listen|langganan|chat|sms|bildirim...|schreib...|ecri...|escri...|escrev...|scriv...|schrijf...|skriv...|yaz...|pis...|kirjoit...|сообщ...|спам...|рассыл...|розсил...|пис...|повідомл...|съобщ...|порук...|μηνυμ...|رسال...|رسائل...|الرسا...|رسايل|مراسل...|تواصل...|التواصل|ازعاج...|اشتراك...|الاشتراك|הודע...|ההודע...|ספאם|پیام...|پیغام...|مسیج...|میسج...|میسیج...|تبلیغ...|मैसेज...|मेसेज...|संदेश...|মেসেজ...|ম্যাসেজ...|বার্তা...|செய்தி...|மெசேஜ்...|సందేశా...|మెసేజ్...'

/** How a language other than English asks to stop. All words except `asks` may be anywhere in a clause. */
interface Language {
  /** Question words. */
  asks: string
  stops: string
  /** Words for "me" and "us". */
  me: string
  /** Words that are not an object. */
  empty: string
  /** The question word need not come first. */
  isAnywhere?: true
}

const LANGUAGES: readonly Language[] = [
  // German
  {
    asks: 'wie|wo|wann|warum|wieso|weshalb',
    stops:
      'stopp...|abmeld...|austrag...|abbestell...|abstell...|abschalt...|aufhor...|beend...|(meld|bestell|stell|schalt)(e|st|t|en|est|et)?(?=( [^ ,]+){0,6} ab )|trag(e|en)?(?=( [^ ,]+){0,6} aus )|hor(e|st|t|en)?(?=( [^ ,]+){0,6} auf )',
    me: 'mich|mir|uns',
    empty:
      'ich|du|ihr|sie|man|wir|es|das|dies|diese[nmrs]?|hier|davon|dich|euch|sich|kann|kannst|konnt|konnen|konnte|muss|soll|denn|nur|endlich|nicht|nie|mal|jetzt|ab|aus|auf|zu|bloss|eigentlich|damit|von|die|den|dem|der|wird|werdet|wirst|wollt|willst|immer|noch',
  },
  // French
  {
    asks: "comment|ou|quand|pourquoi|que faire|qu'est",
    stops: "(n'|d'|l'|m'|t'|s')?(arret|stopp|cess|desabonn|desinscri)...|ne plus (recevoir|avoir)",
    me: "me|moi|nous|m'...",
    empty:
      "est|ce|que|je|tu|vous|on|ca|cela|ces|cette|puis|peux|peut|pouvez|vas|allez|va|faire|fait|faut|il|pour|de|te|pas|ne|enfin|donc|svp|tout|jamais|dois|doit|le|la|les|qu'est|faire",
  },
  // Spanish and Catalan
  {
    asks: 'como|donde|cuando|por que|porque|com|quan|per que|perque',
    stops:
      "paro|parar|paras|paran|parais|pares|pareu|paren|paro|no para|deten...|detien...|atur...|(dej|deix)[^ ]* (de |d')?(recib|rebre|escri|mand|envi|molest|contact)...|cancel...|desuscri...|desubscri...|baixa|baja|borro|elimino",
    me: 'me|nos|em|ens|conmigo',
    empty:
      'yo|tu|usted|ustedes|esto|eso|este|estos|estas|todo|ya|puedo|puede|puc|pots|podria|vas|vais|va|van|a|de|no|se|hago|hacer|faig|fer|para|per|que|el|la|los|las|lo|els|les|ho|favor|nunca|debo|tengo|aixo|aquests|aquestes|dono|donar|doy|dar|ja|et|us',
  },
  // Portuguese
  {
    asks: 'como|onde|quando|por que|porque|pq',
    stops:
      'paro|parar|nao para|param|pare|parem|cancel...|desinscrev...|descadastr...|desativ...|deix(o|ar) de (receb|escrev|mand|envi)...',
    me: 'me|mim|nos|comigo',
    empty:
      'eu|voce|vc|voces|isso|isto|essas?|esses?|estas?|estes?|faco|fazer|posso|pode|podem|vai|vao|de|pra|para|que|favor|ja|nao|o|os|as|da|do|logo|nunca|com|tudo|receber',
  },
  // Italian
  {
    asks: 'come|dove|quando|perche',
    stops:
      'fermo|fermare|fermarli|fermarlo|fermate|fermi|smett...|cancell...|disiscriv...|disattiv...|blocco|bloccare|stop...|interromp...|non ricevere|piant(i|ate)',
    me: 'mi|me|noi',
    empty:
      'io|tu|lei|voi|faccio|fare|posso|puoi|si|questo|questa|questi|queste|a|di|ti|piu|non|la|lo|li|le|i|gli|per|favore|finalmente|devo|mai|tutto|ci',
  },
  // Dutch
  {
    asks: 'hoe|waar|wanneer|waarom',
    stops:
      'stop...|hou(d|den|dt)?(?=( [^ ,]+){0,4} op )|ophoud...|afmeld...|uitschrijv...|meld(?=( [^ ,]+){0,4} af )|schrijf(?=( [^ ,]+){0,4} uit )',
    me: 'me|mij|ons',
    empty:
      'ik|je|jij|jullie|u|we|dit|dat|deze|die|kan|kun|kunnen|moet|mee|ermee|hiermee|nou|eens|eindelijk|op|af|uit|niet|nooit|nu|aub|alsjeblieft|met|van|het|de|er|gaat|gaan|wil|hier|hiervoor|hiervan',
  },
  // Polish
  {
    asks: 'jak|gdzie|kiedy|dlaczego|czemu|po co',
    stops: 'zatrzym...|wstrzym...|przesta...|wylacz...|wypis...|anulow...|zrezygnow...|odsubskryb...',
    me: 'mnie|mi|nam|nas',
    empty:
      'sie|moge|mozna|mam|to|tego|te|tych|ten|ja|wy|ty|juz|prosze|w|koncu|nie|wreszcie|z|tutaj|tym|otrzymywac|dostawac|wasze|wszystko',
  },
  // Swedish
  {
    asks: 'hur|var|nar|varfor',
    stops: 'stoppa[rs]?|sluta[rt]?|avregistrera[r]?|avprenumerera[r]?|avanmal...|avbryt...',
    me: 'mig|mej|oss',
    empty:
      'jag|du|ni|man|vi|det|den|dessa|denna|detta|de|dom|har|dar|kan|ska|skall|att|fa|inte|aldrig|nu|snalla|av|med|bara|vill|nagonsin',
  },
  // Danish and Norwegian
  {
    asks: 'hvordan|hvor|hvornar|nar|hvorfor|korleis',
    stops:
      'stopp?(er|e)?|slutt?(er|e)|hold(er)? (du|i|dere) opp?|afmeld...|avmeld...|frameld...|meld(er)?(?=( [^ ,]+){0,4} (af|av|fra) )',
    me: 'mig|meg|os|oss',
    empty:
      'jeg|du|i|dere|man|vi|det|dette|denne|disse|de|den|her|kan|skal|at|a|ikke|aldri|aldrig|na|nu|af|av|fra|med|fa|snart|op|opp|vil',
  },
  // Turkish
  {
    asks: 'nasil|neden|niye|niçin|ne zaman',
    stops:
      'durdur...|dur(muyor|acak|maz|mayacak|uyor)...|kapat...|iptal...|kes(miyor|ecek|mez|er|ebil|iyor)...|birak(miyor|acak|maz)...|vazgec...|cik(arim|abilirim)|kurtul...|sonlandir...',
    me: 'bana|beni|bize|bizi|benden',
    empty:
      'bu|bunu|bunlari|bunlar|o|onu|ben|sen|siz|artik|peki|ya|acaba|hala|hic|icin|edebilirim|ederim|edilir|edecegim|yapabilirim|hemen|lutfen',
    isAnywhere: true,
  },
  // Indonesian and Malay
  {
    asks: 'bagaimana|gimana|gmn|mengapa|kenapa|kapan|bila|macam mana|camana|di mana|dimana',
    stops: '(meng)?henti...|berhenti...|dihentikan|stop|setop|batal...|membatal...|unsub...|matikan|mematikan',
    me: '(ke|pada|kepada|hubungi|menghubungi|ganggu|mengganggu) (saya|aku|gue|kami)',
    empty:
      'saya|aku|gue|kami|cara|caranya|kamu|anda|kalian|awak|ini|itu|untuk|bisa|boleh|nak|mau|agar|supaya|tidak|tak|gak|ga|nggak|juga|lagi|dari|ya|sih|dong|semua|akan',
    isAnywhere: true,
  },
  // Romanian
  {
    asks: 'cum|unde|cand|de ce',
    stops: 'opr(esc|esti|iti|i|im|easca)|incet...|dezabon...|anul...|renunt...|termin(i|ati)',
    me: 'ma|mine',
    empty:
      'eu|tu|voi|mi|imi|ne|pot|poti|asta|astea|acestea|aceste|acest|sa|nu|te|va|odata|mai|o|le|la|de|din|pe|fac|trebuie|toate|se',
  },
  // Czech and Slovak
  {
    asks: 'jak|ako|kde|kdy|kedy|proc|preco',
    stops: 'zastav...|(ne)?prestan...|prestat...|odhlas...|vypn...|zrus...|ukonc...',
    me: 'mi|me|ma|mne|nas|nam',
    empty:
      'se|sa|si|to|toto|tohle|tyto|tieto|ty|tie|mohu|muzu|mozem|mozno|lze|da|ja|vy|uz|konecne|prosim|z|od|muzete|dostavat|vsechny|vsetky|by',
  },
  // Finnish
  {
    asks: 'miten|kuinka|miksi|milloin|koska|missa',
    stops: 'lopet...|loppu...|pysayt...|lakka...|peruut...|perun|eroan',
    me: 'minulle|mulle|minua|meille',
    empty:
      'mina|sina|te|nama|naiden|naita|tama|taman|voin|voi|saan|saa|saada|et|ette|en|ei|jo|vihdoin|nyt|tulla|tulemasta|ikina|koskaan|ne',
  },
  // Hungarian
  {
    asks: 'hogyan|hogy|miert|mikor|hol',
    stops: 'allit...|leallit...|leiratkoz...|iratkoz...|abba|abbahagy...|megall...|szuntet...|lemond...',
    me: 'nekem|engem|minket',
    empty:
      'le|ki|ezt|ezeket|az|a|en|te|tudom|tudok|lehet|kell|nem|mar|vegre|hagyod|hagyjatok|hagyja|fel|meg|azt|kerem|tudnam',
  },
  // Vietnamese; without its marks, "dừng" (stop) looks like "dùng" (use).
  {
    asks: 'lam sao|lam the nao|bang cach nao|cach nao|tai sao|sao|khi nao|bao gio',
    stops: 'ngung( lai)?|dung lai|dung(?=( [^ ,]+){0,3} (tin|nhan|spam) )|huy',
    me: '(cho|voi|phien) (toi|minh)',
    empty: 'toi|minh|đe|lai|nhung|cac|nay|ban|khong|ko|co|the|đuoc|duoc|viec|nua|đi|di|đang|dang|ky|ki|vay|moi',
  },
  // Filipino
  {
    asks: 'paano|pano|bakit|kailan|saan',
    stops: '(i|ma|mag|ti|iti)?tigil...|tumigil|titigil|(i|hi|hu)?hinto|huminto|mag unsub...|maunsub...|ikansel...',
    me: 'akin',
    empty: 'ako|ko|mo|ba|po|ang|mga|ito|itong|iyan|yan|na|ikaw|ka|kayo|ayaw|mong|niyo|nyo|hindi|di|sa|ng|to|pa|lahat',
  },
  // Croatian, Serbian and Bosnian
  {
    asks: 'kako|gdje|gde|kada|kad|zasto',
    stops: 'zaustav...|prekin...|prestan...|prestat...|odjav...|otkaz...|iskljuc...|stop...',
    me: 'me|nam|nas',
    empty:
      'mi|da|ovo|ove|ovu|to|te|se|mogu|moze|ja|ti|vi|cete|ces|ne|nikad|vec|molim|s|sa|od|primati|dobivati|dobijati|konacno|sve|li',
  },
  // Russian, Ukrainian, Bulgarian, Serbian and Macedonian
  {
    asks: 'как|где|когда|почему|зачем|як|де|коли|чому|навіщо|къде|кога|защо|како|гдје|када|зошто|зашто',
    stops:
      'останов...|отключ...|прекрат...|перестан...|отпис...|отпиш...|отмен...|выключ...|зупин...|припин...|відпис...|відпиш...|вимкн...|скасув...|спр(а|еш|ете|ем|ам)|спир...|изключ...|престан...|заустав...|прекин...|одјав...|откаж...',
    me: 'меня|нас|мене|ме',
    empty:
      'мне|нам|мені|ми|можно|это|эти|этот|эту|все|вы|ты|я|мы|наконец|уже|же|от|не|бы|ли|могу|сделать|чтобы|их|вас|надо|нужно|пожалуйста|ці|це|можна|ти|ви|вже|нарешті|ж|від|тези|това|мога|може|се|вече|аз|вие|си|да|ще|ове|ово|овие|могу|можам|ја|већ|ги|са|све|ћеш|ћете|моля',
    isAnywhere: true,
  },
  // Arabic
  {
    asks: 'كيف|اين|وين|متى|لماذا|ليش|ليه|ازاي|شلون',
    stops: '(ا|ن|س|سا)?(وقف|يقاف)...|(س|ي|ا)?ت?توقف...|ال?غي|الغاء...|(ت|ا|هت)?بطل...|اتخلص...|(ا|ت)?منع...',
    me: 'عني|مني',
    empty: 'لي|هذا|هذه|هذي|هاي|دي|ده|يمكنني|يمكن|اقدر|ممكن|انا|انت|انتم|عن|من|لا|ما|ان|لو|سمحت|فضلك|تلك|كل|في',
    isAnywhere: true,
  },
  // Greek
  {
    asks: 'πως|που|ποτε|γιατι',
    stops: 'σταματ...|διαγραφ...|παυ...|απεγγραφ...|κοψ...|κοβ...|ακυρων...|ακυρωσ...|απενεργοπ...',
    me: 'εμενα|εμας',
    empty: 'με|μου|μας|αυτο|αυτα|τα|το|την|μπορω|να|θα|δεν|δε|πια|εγω|εσυ|επιτελους|λαμβανω|απο|κανω',
    isAnywhere: true,
  },
  // Hebrew
  {
    asks: 'איך|איפה|מתי|למה|מדוע|כיצד',
    stops: 'מפסיק...|להפסיק|תפסיק...|עוצר...|לעצור|מבטל...|לבטל|מסיר...|להסיר|מתנתק...',
    me: 'אותי|אלי|אליי',
    empty: 'לי|לנו|אני|אתה|את|אתם|לא|כבר|זה|אלה|האלה|הזה|מזה|לקבל|אפשר|ניתן|סוף|בבקשה|עם',
    isAnywhere: true,
  },
  // Persian and Urdu
  {
    asks: 'چطور|چطوری|چگونه|چجوری|چرا|کی|کجا|کیسے|کیوں|کب|کہاں',
    stops: 'متوقف...|قطع|لغو|تمام|توقف|بس|غیرفعال|کنسل|بند|روک...|رک...|ان سبسکرائب',
    me: 'به من',
    empty:
      'من|مجھے|ہمیں|این|اینها|اینو|را|رو|ها|کنم|کنیم|کنی|کنید|میشه|میتونم|می|توانم|میکنم|نمیکنی|نمیکنید|نمی|شما|تو|از|دیگه|دریافت|همه|عضویت|میں|یہ|ان|کو|کروں|کریں|کرو|کرتے|تم|آپ|نہیں|سکتا|سکتی|ہوں|ہے|ہیں|ہو|اب|گے|سے|کر|سب',
    isAnywhere: true,
  },
  // Hindi, also in Latin letters, and Marathi
  {
    asks: 'कैसे|क्यों|कब|कहां|कहाँ|kaise|kyun|kyu|kyon|kab|कसे|कसं|कशी',
    stops: 'रोक...|रुक...|बंद|बन्द|अनसब्सक्राइब...|थांब...|band|bandh|rok...|ruk...',
    me: 'मुझको|मुझसे|mujhko|mujhse',
    empty:
      'मुझे|हमें|मला|mujhe|hume|ये|यह|इन|इसे|इसको|को|करूं|करूँ|करें|करे|कर|करते|किया|जाए|आप|तुम|नहीं|हो|हैं|सकता|सकते|हूं|हूँ|मैं|अब|जाते|करोगे|करेंगे|सब|हे|हा|ही|करायचे|करू|मी|ते|या|ye|yeh|isko|ise|inhe|karu|karun|kare|karein|karte|aap|tum|nahi|nhi|ho|main|mai|ko|ab|sakte|sakta|sab',
    isAnywhere: true,
  },
  // Bengali, Tamil and Telugu
  {
    asks: 'কীভাবে|কিভাবে|কেমনে|কেন|কখন|কবে|எப்படி|ஏன்|எப்போது|ఎలా|ఎందుకు|ఎప్పుడు',
    stops: 'বন্ধ|থাম...|நிறுத்...|ఆప...|నిలిప...',
    me: 'আমাকে|என்னை|எனக்கு|నాకు|నన్ను',
    empty:
      'আমি|এই|এগুলো|এটা|করব|করবো|করতে|পারি|করা|যায়|না|আপনি|তুমি|হবে|করবেন|করছেন|সব|இந்த|இதை|நான்|நீங்கள்|நீ|முடியும்|மாட்டீர்கள்|வேண்டும்|ఈ|ఇవి|నేను|మీరు|లేదు|చేయాలి',
    isAnywhere: true,
  },
]

const READERS = LANGUAGES.map(({ asks, stops, me, empty, isAnywhere }) => ({
  asks: wordPattern(isAnywhere ? asks : `(?<=^ )(${asks})`),
  stops: wordPattern(stops),
  me: wordPattern(me),
  said: wordPattern(`${asks}|${stops}|${empty}`),
}))
const ANY_STOP = wordPattern(...LANGUAGES.map(({ stops }) => stops))
const [CAMPAIGN, OTHERS, MESSAGE] = [CAMPAIGNS, OTHER_PEOPLE, MESSAGES_ELSEWHERE].map((words) =>
  wordPattern(words),
) as [RegExp, RegExp, RegExp]
const has = (text: string, pattern: RegExp) => text.search(pattern) >= 0

/** A longer clause is not a question about how to stop. */
const CLAUSE_WORDS_MAX = 16

const UNSPACED_QUESTION = /(?:如何|怎么|怎麼|怎样|怎樣|どうやって|どうすれば|どこで|方法|어떻게|어디서|언제)/u
const UNSPACED_OBJECT = /(?:活动|活動|自动化|キャンペーン|シーケンス|自動化|캠페인|시퀀스|자동화)/u
const UNSPACED_MESSAGES =
  /(?:我|私(?!达)|消息|信息|联系|聯繫|メッセージ|連絡|メール|dm|저(?:한테|에게)|나(?:한테|에게)|메시지|메세지|연락|디엠)/u

/** The object of a question about stopping: messages, something else, or null if it is unclear. */
type Stopped = 'messages' | 'others' | null

/** Returns what a question in a clause asks to stop. @param clause folded words */
function stoppedIn(clause: string): Stopped {
  const words = clause.split(' ').filter((word) => word !== '')
  const start = words.findIndex((word) => !OPENING.has(word))
  if (start < 0) return null
  const joined = words.join('')
  if (UNSPACED_QUESTION.test(joined))
    return UNSPACED_OBJECT.test(joined) && !UNSPACED_MESSAGES.test(joined) ? 'others' : null
  const question = words.slice(start)
  return ASKING.test(question[0] as string) ? stoppedInEnglish(question) : stoppedElsewhere(question)
}

function stoppedInEnglish(words: readonly string[]): Stopped {
  const verb = words.findIndex((word, at) => STOP_VERB.test(word) || (word === 'out' && words[at - 1] === 'opt'))
  if (verb < 0) return null
  const before = words.slice(0, verb)
  const object = words.slice(verb + 1)
  const named = object.find((word) => !EMPTY.has(word) && word !== 'my' && word !== 'our')
  if (isAboutCampaign(words, verb)) return 'others'
  // "How do I stop my ads?"
  if (
    /^(?:my|our)$/.test(object[0] ?? '') &&
    object.slice(1).every((word) => EMPTY.has(word) || OWN_OUTREACH.test(word))
  )
    return named ? 'others' : null
  // "Why don't you stop …" and "When will you stop …" are requests to the sender.
  if (!/^(?:how|what)/.test(words[0] as string) && before.some((word) => SENDER_OR_ME.test(word)))
    return before.some((word) => NEGATION.test(word)) && (!named || MESSAGES.test(named)) ? 'messages' : null
  if (object[0] === undefined || object[0] === 'your' || object.some((word) => SENDER_OR_ME.test(word))) return null
  if (named && object[object.indexOf(named) - 1] === 'your') return null
  if (named && has(` ${named} `, OTHERS)) return 'others'
  // "How do I unsubscribe my company?" asks on behalf of all its people.
  if (/^(?:my|our)$/.test(object[0]) && /^unsubscribe/.test(words[verb] as string)) return null
  return named && !object.some((word) => MESSAGES.test(word)) ? 'others' : null
}

/**
 * Whether a question is about a campaign, such as "Why did my campaign stop?". In doubt it is not:
 * with a word for messages, an unsubscription, or a request to the sender, such as "When will you
 * stop the campaign?".
 */
function isAboutCampaign(words: readonly string[], verb: number): boolean {
  const asksSender = words.includes('you') && words.some((word) => NEGATION.test(word) || word === 'will')
  return (
    words.some((word) => CAMPAIGN_NOUN.test(word)) &&
    /^(?:stop|quit)/.test(words[verb] as string) &&
    !asksSender &&
    !words.some(
      (word) =>
        (word !== 'you' && SENDER_OR_ME.test(word)) ||
        /^yours?$/.test(word) ||
        (MESSAGES.test(word) && !/^follow/.test(word)),
    )
  )
}

function stoppedElsewhere(words: readonly string[]): Stopped {
  if (words.length > CLAUSE_WORDS_MAX) return null
  const question = ` ${words.join(' ')} `
  if (!has(question, ANY_STOP)) return null
  for (const { asks, stops, me, said: filler } of READERS) {
    if (!has(question, asks) || !has(question, stops)) continue
    const isAboutMe = has(question, me)
    if (has(question, OTHERS) && !isAboutMe) return 'others'
    const isAboutMessages = isAboutMe || has(question, MESSAGE)
    if (has(question, CAMPAIGN)) return isAboutMessages ? null : 'others'
    if (isAboutMessages || question.replace(filler, '').trim() === '') return 'messages'
  }
  return null
}

/**
 * Reads the questions about stopping in a text. @param text folded words, with commas @returns
 * whether a question is an opt-out, and the words without the clauses about stopping something else
 */
export function readStopQuestions(text: string): { isOptOut: boolean; rest: string } {
  const clauses = text.split(',').map((clause) => ({ clause, stopped: stoppedIn(clause) }))
  return {
    isOptOut: clauses.some(({ stopped }) => stopped === 'messages'),
    rest: clauses.map(({ clause, stopped }) => (stopped === 'others' ? ' ' : clause)).join(','),
  }
}

/** Whether a clause of a text only asks how to stop something other than messages. */
export function asksHowToStop(text: string): boolean {
  return wordsOf(fold(readPart(text)))
    .join(' ')
    .split(',')
    .some((clause) => stoppedIn(clause) === 'others')
}
