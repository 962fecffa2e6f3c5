import { fold, wordPattern } from './text.ts'

/*
 * The most common opt-outs in languages that the model is not trained on. A pattern is tried only
 * for texts with the letters of its languages.
 */

/** Latin letters: Indonesian and Malay, Romanian, Czech and Slovak, Danish and Norwegian, … */
const LATIN = wordPattern(
  // Indonesian and Malay
  '(jangan|jgn|usah|payah|tidak perlu|tak perlu)( lagi| pernah| terus| terus terusan){0,2} (hubung|menghubung|kirim|mengirim|ganggu|menggangg|kacau|chat|dm|pm|wa|spam|mesej|pesan|hantar|menghantar|contact|kontak|sms|message|japri)...|(berhenti|stop|setop|henti|hentikan)( untuk)? (mengirim|menghubung|hubung|kirim|chat|menghantar|hantar|mesej|pesan|spam|ganggu|menggangg|kacau|dm)...|berhenti (ber)?langganan|(hapus|keluarkan|buang|padam|coret)( nama| data| nomor| kontak| akun)? (saya|aku|gue|kami)...|(tidak|tak|ga|gak|nggak|tdk) (mau|ingin|nak|perlu|sudi)( lagi)? (terima|menerima|dapat|mendapat|dihubungi|dikirimi|dm|mesej|pesan|chat|diganggu)...|(biarkan|tinggalkan) (saya|aku) (sendiri|dengan tenang|bersendirian)...|(saya|aku|gue|akan|sudah|udah) (blokir|laporkan|block|report)...',
  // Romanian
  '(nu|niciodata)( ma| mi| imi| ne| mai| va| te){1,3} (scri|contact|deranj(?!eaz)|trimit|suna|spam|hartui|caut)...|(opriti|opreste|opresti|incetati|inceteaza|incetezi|terminati|termina|termini|renuntati|renunta|renunti)( te| va)?( cu| sa| din)?( mai| imi| mi){0,2} (mesaj|scri|trimit|contact|spam|asta|deranj)...|(sterge|stergeti|scoate|scoateti|elimina|eliminati)( ma| mi)? (ma|mi|datele|numele|din (lista|baza)|de pe (lista|lista ta)|contul)...|(lasa|lasati) (ma|ne) in pace|nu( mai)? (vreau|doresc|vrem|dorim)( sa| mai| mi| imi| ma){0,4} (prim|mesaj|fiu contact|contactat|scri|aud|fie|trimit|spam)...|(gata|ajunge|destul) cu (mesaj|spam|astea)...|(fara|niciun|nici un|nu mai) (mai )?(mesaj|spam)...|dezabon...|(te|va) (raportez|blochez|reclam|am blocat|am raportat)',
  // Czech and Slovak
  '(nepis|neposil|neposiel|nekontakt|neobtez(?!uje )|neobtaz(?!uje )|nezasil|nezasiel|neozyv|nespam|nevolej|nevolaj|neotrav)...|(prestan|prestante|skonci|skoncete|skonci uz|prestat)...~ (psat|pisat|posil|posiel|kontakt|spam|obtez|obtaz|otrav|zasil|zasiel)...|(smaz|vymaz|odstran|vyrad|odhlas|vyskrtn|zmaz)[^ ]* (me|mne|ma|nas|moje|moji|mou|z|ze)...|dej(te)? (mi|nam) (uz )?pokoj|daj(te)? mi (uz )?pokoj|nech(te|ej|ejte|aj|ajte)? (me|mne|ma) (byt|na pokoji|na pokoj|tak)|(nechci|nepreji|nechceme|nechcem|neprajem|nestojim)( si| uz| dal| od vas| zadne| ziadne| dostavat| byt| o){0,3} (zprav|sprav|dostav|kontakt|spam|oslov|slyset|dm)...|(zadne|ziadne|dost|konec) (dalsi |dalsie )?(zprav|sprav|spam|dm)...|odhlasit( me| ma| odber)?|(nahlasim|nahlasuji|nahlasuju|zablokoval|blokuji|blokuju|blokujem)( te| vas| jako)?...',
  // Danish and Norwegian
  '(skriv|kontakt|kontakte|send|forstyr|spam|ring|plag|mas)( mig| meg| os| oss| til| dig| venligst| vennligst| flere| mere| mer| noe| noget| med){0,4} (ikke|aldri|aldrig|ingen|ikkje)( mere| mer| flere| igen| igjen| lenger| beskeder| meldinger){0,2}|(ikke|aldrig|aldri|ikkje) (skriv|kontakt|send|forstyr|spam|mas)[^ ]* (mig|meg|os|oss|til|mer|mere|igen|igjen|flere)...|(stop|stopp|slut|slutt|hold op|hold opp)( nu| na| venligst| vennligst)? (med|a|at)( at| a)? (skriv|send|kontakt|spam|forstyr|mas|plag|meld|besked)...|(fjern|slet|slett|afmeld|avmeld|stryk) (mig|meg|os|oss|mine|min|mit|mitt)|(tag|ta|meld) (mig|meg) (af|av|bort fra|vekk fra|ud af|ut av)...|(lad|la) (mig|meg|os|oss) (være|vaere|i fred)...|(vil|onsker|gider)( jeg)? ikke~ (besked|melding|kontaktes|kontaktet|hore|motta|modtage|have flere|ha flere)...|ingen flere (besked|melding|henvendels|dm|mail)...|(afmeld|avmeld|frameld)...|er (blokeret|blokkert|anmeldt|rapporteret|rapportert)|(anmelder|rapporterer|blokerer|blokkerer) (dig|deg|dette|jer)',
  // Finnish
  '(ala|alkaa|elkaa)( enaa| ikina| koskaan| nyt| mulle| minulle| meille){0,3} (kirjoit|lahet|ota|ottako|laita|laittako|viesti|spamm|hairi|hairit|kontakt|soita|pommit)...|(en|emme|ei)( halua| tahdo| kaipaa)?( enaa| mitaan| lisaa| naita| teilta| sinulta| saada){0,3} (viest|yhteydenot|yhteytta|mainok|spam|dm)...|(lopeta|lopettakaa)( jo| nyt| heti| nama| naiden| viestien| tuo| tama){0,3}( viest| spamm| lahett| kirjoit| hairi| haukku)?...|(poista|poistakaa) (minut|mut|meidat|tietoni|nimeni|mun)...|(jata|jattakaa) (minut|mut|meidat) rauhaan|(peru|peruuta) (tilaus|uutiskirje)...|(ilmiannan|raportoin|blokkaan|estan) (sinut|sut|teidat|taman)...',
  // Hungarian
  '(ne|soha)( is| mar| tobbet| tobbe| nekem| ne| kerem){0,3} (irj|irjo|irjat|keres|kuld|zaklas|zavar|spammel|uzen|hivo)...|hagy[^ ]*( mar| engem)? (beken|abba|bekeben)|(torol|vegy|vegyel|vegyen)[^ ]*( engem| ki| le| mar){0,2} a(z)? (list|adat|rendszer|cimlist|level)...|(torold|toroljek|torolje|toroljetek)~ (adat|cim|nev|szam)...|(le|ki)iratkoz...|nem (akarok|kerek|szeretnek|kivanok)( tobb| tobbet| tobbe| ilyen){0,2} (uzenet|level|megkeres|spam|ertesit|kapni|hallani)...|eleg (volt|legyen)|(letilt|feljelent|blokkol)(om|ottam|ettem|alak|lak|elek|lek)',
  // Vietnamese, also without marks
  '(đừng|dừng|ngừng|ngưng|không muốn|ko muốn|không|ko|chớ)( có| bao giờ| nhận| được| việc| ngay| bị| thêm){0,3} (nhắn|gửi tin|gửi cho|gửi nữa|liên hệ|liên lạc|làm phiền|spam|ib|inbox|quấy|gọi|viết cho|chat|tin nhắn|nhận tin)...|(xóa|gỡ|loại|bỏ)( tên| thông tin| số| tài khoản)? (tôi|mình|của tôi|của mình)...|(hủy|huỷ) (đăng ký|đăng kí|nhận)...|để (tôi|mình|tao|em|tui) yên|(chặn|báo cáo|block|report) (bạn|mày|spam|rồi|tài khoản)',
  // Filipino
  "(huwag|wag|h'wag)( mo| nyo| niyo| ninyo| na| ka| kang| kayong| po| akong| kong| ako| nang| ng| sana){0,5} (mag(?![^ ]* ?alala)|mensahe|message|msg|imessage|i message|dm|idm|i dm|pm|ipm|kontak|contact|istorb|gulu|kulit|kulitin|text|chat|spam|padal|tawag|sulat|sumulat)...|(itigil|tigilan|tantanan|lubayan|layuan)( mo| nyo| niyo| ninyo| na){1,3}...|(alisin|tanggalin|burahin|pakitanggal|pakialis|idelete|iremove)( mo| nyo| niyo| ninyo| na| po){0,3} (ako|akong|ang pangalan|ang data|ang account)...|(ayaw|ayoko)( na| ko| po| kong| nang| ng){0,4} (makatanggap|tumanggap|mensahe|message|ma contact|makontak|makausap)...|tama na (po|yan|ang)|(irereport|ireport|iblock|iboblock|nireport|blinock|pinablock) (kita|ko|kayo)",
  // Catalan
  "(no|mai)( em| ens| tornis| torneu| a| mes){0,4} (m')?(escrig|escriv|escriu|envi|contact|molest|truqu)...|(deixa|deixeu|deixin|para|pareu|parin)( ja)? (de|d') ?[^ ]+|(deixa|deixeu|deixi)( m| me| ns| em| ens)? (en pau|tranquil)...|(treu|treieu|traieu|esborra|esborreu|elimina|elimineu)( m| em| me| de| les| el){1,2}...|no (vull|volem)( mes| rebre| que){0,2} (rebre|missatge|que|saber|correu)...|(prou|cap) (de )?(mes )?missatge...|(dona|doneu)( m)?( em)? de baixa",
  // Croatian, Serbian and Bosnian
  '(ne|nemoj|nemojte|prestani|prestanite)( mi| me| vise| da| sa| s){0,4} (pis|salj|slat|slanjem|kontakt|javlja|smeta|uznemir|spam|dosad|gnjav|poruk)...|(obrisi|obrisite|ukloni|uklonite|izbrisi|izbrisite|makni|maknite|izbaci|izbacite|skini|skinite) (me|moj|moje|nas)...|(ostavi|ostavite|pusti|pustite)( me| vise){1,2} (na miru|miru)|ne zel(im|imo)( vise| primati| da| dobivati){0,2} (poruk|prima|kontakt|pise|dobiv|dobij)...|odjav(i|ite) me|(prijavit|blokirat|prijavljuj|blokiram)[^ ]* (te|vas|cu)',
  // Slovenian, Lithuanian, Latvian, Estonian and Swahili
  '(nehaj|nehajte|prenehaj|prenehajte)( mi| s| z){0,2} (pis|posilj|kontakt)...|ne (pisi|pisite|posiljaj|posiljajte|kontaktiraj|kontaktirajte)( mi| me)?( vec)?|pustite? me (pri|na) miru...',
  '(ne|nebe)(rasyk|siusk|siuntinek|trukdyk)(it)?e?( man)?|(nustok|liauk)it(es|e) (man )?(rasyt|siust|siunt|trukdyt)...|palik(ite)? mane ramyb...',
  '(ne|vairs ne)(raksti|rakstiet|suti|sutiet|traucejiet)( man)?( vairs)?|(beidz|beidziet|partrauciet) (man )?(rakst|sut)...|lieciet (mani|man) mier...',
  '(ara|arge)( mulle| enam){0,2} (kirjuta|saat|tulita|hairi)...|lopeta(ge)?( mulle)? (kirjut|saat|sonum)...|jat(ke|a) mind rahule',
  '(acha|acheni|wacha) (kuni|kutuni)[^ ]+|(usini|msini)(tumie|andikie|sumbue)[^ ]*',
  // Albanian, Afrikaans, Azerbaijani and Uzbek
  'mos( me| mu| na){0,2} (shkruaj|shkruani|dergo|kontakto|shqeteso|bezdis)...|me (lini|lere) te qete|moenie( my| vir my| weer){0,3} (skryf|stuur|kontak|boodskap|pla|lastig)...|hou op( om)? (my |vir my )?(skryf|stuur|boodskap|pla)...|los my uit',
  '(mene|mənə|bize|bizə)( daha| bir daha| artiq){0,2} (yazma|mesaj (atma|gonderme|göndərmə))...|(menga|bizga)( boshqa| endi){0,2} (yozma|xabar (yuborma|yozma))...|bezovta qilma...',
)

/** Transliterations into Latin letters. Spellings vary, so most vowels are optional. */
const TRANSLITERATED = wordPattern(
  // Russian and Ukrainian
  '(ne|hvatit|khvatit|xvatit|prekrati|prekratite|perestan|perestante|konchay|konchayte|dovolno)( mne| nam| bolshe| nado| nuzhno| uzhe| uje| eti| svoi| vashi| poz?haluysta| pojaluysta){0,3} (pishi|pishite|pisat|prisyla|prisila|otprav|shli|shlite|slat|spam|bespoko|dostava|soobshch|soobsh|rassyl|rassil|zvoni)...',
  'otstan(te|ete)?|otvali(te)?|otvya(zh|j)i(s|tes)|otpishi(te)? (menya|nas)|(udali|uberi)(te)? (menya|nas|moi|iz)...|ostav(te)? (menya|nas) v pok...',
  '(ne|dosyt|hodi|pry?pyny|pry?pynit|perestan|perestante)( meni| nam| bilshe| treba| vzhe){0,3} (pysh|pysaty|nadsyl|turbu|povidoml|prysyl|shli)...|vidchep(y|i)[^ ]*|vydal(y|it|ite)? (mene|moyi)...|zalysh(te)? (mene|nas) (v|u) spok...',
  // Bulgarian and Macedonian
  '(ne|nedey|nedei|nedeyte|nedeite|sprete|spri|stiga|prestani|prestanete)( mi| me| ni| poveche| povekje| povekje| da| s| sas| veche){0,4} (pish|pises|izprash|izprat|prasht|prakja|prakaj|zanimav|pritesn|bezpoko|saobsht|suobsht|syobsht|poraki)...|ne (iskam|zhelaya|jelaya|sakam)( da| poveche| povekje| poluchavam){0,3} (poluch|saobsht|suobsht|syobsht|poraki|spam)...|ostavete me( na mira)?|mahn(i|ete) me...',
  // Arabic
  '(la|ma|bala|bal+a(sh|ch)|bela(sh|ch))( ba2a| 3ad| tani| tany| marra| ba3d| tebqa){0,2} t[aeiou]?(rs[aeiou]?l|rasl|rasel|rasil|b3a?t|ba3t|kt[aeiou]?b|tw[aeiou]?s[aeiou]?l|z3[aeiou]?j|k[ae]l+[aeiou]?m|sift|sifet|trasl)...|m[ae]t[aeiou]?(b3a?t|rs[aeiou]?l|kt[aeiou]?b|k[ae]l+[ae]?m|z3[aeiou]?g)[^ ]*(sh|ch)...|ma ts[ie]f[ae]?t[^ ]*',
  '(mesh|msh|mish|mosh|mush|mch|mo|mu) (3ay[ae]?z|3aw[ae]?z|b[ae]d+[ie]|7ab[ae]?b)[^ ]*( [^ ,]+)? (r[aei]?sa[yie2]|messag|mesaj|spam|dm)...|ma (b[ae]?d+i|bghi[^ ]*|abi|abgha|nabi|nabgha|b7eb)~ (r[aei]?sa[yie2]|messag|mesaj|spam|dm)...',
  '(wa[2gq]+[ae]?fo?|wa[2gq]+[ae]fu|batt?[ae]l|k[ei]?faya|khalas|5alas|khlas|bal+ash)~ (r[aei]?sa[yie2]|messag|mesaj|spam|[ei]rsal|t[aeiou]?rs[aeiou]?l|t[aeiou]?b3a?t)...',
  's[ei]+bn[yi] (fe?|fi|b) ?7al[yi]...|utrukn[iu]...|khall?[iy]ni? ?b ?7ali|7[ei]l+ 3an+[iy]|[ei]?b[ae]?3[ae]?d 3an+[iy]|(shil|shel|sheel|emsa7|ems7|im7i|e7[zt]h?ef|i7[zt]h?if)n[iy]( m[ie]?n)?...',
  // Greek
  '(min|mhn|mi mou|mh mou|mi me|mh me|mi mas)( mou| me| mas| ksana| xana| pote){0,3} (ksana|xana)?(graps|grafe|grafet|steil|steln|enoxl|enohl|enochl|epikoin)...|(stamat(a|ise|iste|ate)|pafs(e|te)|paps(e|te)|kops(e|te))( na| ta| pia| me| mou| mas){0,4} (graf|steln|minim|mhnym|mhnum|mynim|enoxl|enohl|spam|epikoin)...|(diagraps|diegraps|vgal|svis|sbhs)(e|te) (me|mou|mas|ta|to)...',
  'den? (thel|8el)(o|w|oume|oyme)( alla| na| pia| allo| mou| lamvano| lavo){0,4} (minim|mhnym|mhnum|mynim|spam|steln|stel|lamv|enoxl)...|(afis|as|afhs)(e|te) me (is|hs)(i|y|u)[xh]o|parata(te)? me',
  // Persian
  '(payam|payaam|peyam|peygham)( dige| be man){0,2} (nadeh?|nadid|nadahid|(nafrest|nafer|nazan)...)|(dige|digeh|lotfan)( dige| be man| baram| behem){0,3} (nanevis|nanvis|nafrest|tamas nagir|nade|nadid)...|tamas nagir...|nemi ?kha(m|ham|im|him)( dige| az shoma){0,2} (payam|peyam|peygham|tamas|spam)...|mozahem na...|velam kon...|(mano|esmamo) (hazf|pak) kon...',
  // Bengali, Marathi and Nepali
  '(message|msg|sms|inbox|birokto|disturb|text)( ar| amake| korte){0,2} (korben|diben|diyen|dio|pathaben|pathiyen|korba|koiren|koiro|koro) na|(amake|ar)~ (likhben|pathaben|diben|korben) na|(message|msg|sampark|tras)( parat| punha)? (karu|pathvu|pathavu|deu) (naka|nako|nakos)|(message|sms) (nagar|napatha)...',
)
const TRANSLITERATED_WHOLE =
  'khalas|khalas ba2a|khalas kefaya|kefaya|kifaya|kefaya ba2a|tawa[2q]+af|hvatit|khvatit|xvatit|prekrati|prekratite|otpiska|stamata|stamatiste|ftanei pia|bas kon|bas konid|bas ast|spri|sprete|stiga|stiga tolkova|dosyt|godi'

/**
 * Texts that are opt-outs on their own. Words that are also names or everyday words elsewhere are
 * left out, such as Huy, nok, seis and dost.
 */
const LATIN_WHOLE =
  'berhenti|(tolong )?hentikan|cukup|setop|jangan|opriti|opreste|opriti va|opreste te|destul|ajunge|prestan|prestante|konec|skoncete|lopeta|lopettakaa|riittaa|hold op|slutt|slut|na er det nok|eleg|eleg volt|allj|hagyd abba|hagyja abba|ngung lai|ngung|đung|đung lai|dung lai|tama na|tigil|itigil|prou|atura|prestani|prestanite|dosta|nemoj|nemojte|bastat|lasati ma|hagyjatok|hagyj mar|riittaa jo'

const GREEK = wordPattern(
  '(μη|μην)( μου| με| μας| ξανα| ποτε| αλλο){0,3} (ξανα)?(γραψ|γραφ|στειλ|στελν|ενοχλ|επικοινων|μηνυμ|παρενοχλ|μιλα|μιλησ)...|(σταματ|παψ|παυσ|κοφ|κοψ)[^ ]*( να| τα| πια| με| μου| το| μας| επιτελους| παρακαλω){0,4} (γραφ|στελν|μηνυμ|ενοχλ|σπαμ|spam|επικοινων|παρενοχλ)...|(διαγραψ|διεγραψ|βγαλ|αφαιρεσ|σβησ)[^ ]*( με| μας| μου| τα| τον| τη| το| παρακαλω){0,3} (απο|στοιχεια|δεδομενα|ονομα|με|λογαριασμο)...|(διαγραψτε|διεγραψε|βγαλτε|βγαλε|αφαιρεστε|σβηστε) (με|μας)|δεν? (θελω|θελουμε|επιθυμω)( πια| αλλα| να| αλλο| ξανα| μου| λαμβανω){0,4} (μηνυμ|λαμβαν|ενημερ|επικοιν|γραφ|στελν|ακου|ξανα)...|(ασε|αστε|αφησε|αφηστε|παρατα|παρατατε|παρατηστε) (με|μας)( ησυχ| ηρεμ| πια)?...|απεγγραφ...|(σε|σας) (μπλοκ|αναφερ|καταγγ|εκανα μπλοκ)...|(οχι|τερμα|φτανουν|αρκετα)( αλλα| με| τα| πια){1,3} (μηνυμ|σπαμ|spam|dm)...',
)
const GREEK_WHOLE = 'σταματα|σταματηστε|σταματηστε πια|φτανει|φτανει πια|αρκετα|στοπ|διαγραφη|τερμα|απεγγραφη'

const CYRILLIC = wordPattern(
  // Ukrainian
  "(не|ніколи)( мені| нам| більше| треба| потрібно){0,3} (пиш|писати|надсил|турбу|звязу|зв'язу|шліть|шли|спам|дзвон|відправл|присил)...|(припин|перестан|досить|годі|зупин)[^ ]*( мені| вже| нам| ці)? (пис|надсил|спам|розсил|слати|турбу|присил|відправл|повідомл)...|(видал|прибер|викресл|виключ)[^ ]*~ (мене|списк|баз|мої|дані|контакт)...|(дай|дайте|залиш|залиште)( мені| мене| нас)? ?(у |в )?спок...|відчеп...|не (хочу|бажаю)( більше| отримувати| від вас){0,2} (отрим|повідом|розсил|спілк|чути|лист)...|відпиш...|(поскарж|заблок|скаржуся)...",
  // Bulgarian, Serbian and Macedonian
  '(не|недей|недейте|никога|спри|спрете|престани|престанете|стига)( ми| ме| ни| повече| да| сте| с| вече){0,5} (пиш|писа|изпращ|пращ|безпоко|контакт|търси|спам|занимава|притесня|свързва|съобщ)...|(махн|премахн|изтри|отпиш|заличи)[^ ]*( ме| ми| ни| моите| данните| от)...|остав[^ ]* ме( на мира| намира)?|не (искам|желая)( да| повече| получавам| ми| бъда| ме){0,4} (получ|съобщ|пише|контакт|спам|търс)...',
  '(не|немој|немојте|престани|престаните|престанете)( ми| ме| више| веќе| повеќе| да| са){0,4} (пиш|писа|шаљ|слат|слање|контакт|јавља|узнемир|смета|праќај|испраќај)...|(обриши|обришите|уклони|уклоните|избриши|избришите|избришете) ме|остави(те)?( ме| више){1,2} на миру|не (желим|сакам)( више| да){0,2} (порук|прима|контакт|добива)...',
  // Belarusian, Kazakh, Kyrgyz, Mongolian and Tajik
  '(не|досыць|хопіць|перастань|перастаньце)( мне| нам| больш| трэба){0,3} (піш|пісаць|дасыл|турб|спам)...|(маған|маган|бізге|мага|бизге)( енді| эми| мындан){0,2} (жазба|жіберме|жиберме|жөнөтпө|хабарласпа)...|мазаламаңыз...|битгий~ (бич|явуул|илгээ|зурвас|мессеж|саад|холбогд|залг)...|(зурвас|мессеж)~ (битгий|хэрэггүй|боли|зогсоо)...|(паём|ба ман)~ (нафирист|нанавис)...',
)
const CYRILLIC_WHOLE =
  'досить|годі|зупиніться|припиніть|припини|відписка|відписатися|відчепись|спри|спрете|стига|стига толкова|престани|престанете|престаните|доста|немој|немојте'

const HEBREW = wordPattern(
  '(אל|לא|די|תפסיק|תפסיקי|תפסיקו|להפסיק|הפסק|הפסיקו)( יותר| לי| לנו| נא| עם| את| כבר| בבקשה){0,3} (תכתב|תכתוב|לכתוב|לשלוח|תשלח|תפנ|לפנות|להציק|תציק|להטריד|תטריד|ליצור|תיצור|תיצר|הודעות|ההודעות|ספאם|לחפור|תחפר|לספאם)...|(עזוב|עזבו|עזבי|תעזוב|תעזבו|תניח|תניחו|הניחו) (לי|אותי|אותנו|לנו)...|(תוריד|תורידו|תמחק|תמחקו|הסר|הסירו|תסיר|תסירו|מחק|מחקו|להסיר|להוריד|למחוק|תוציא|תוציאו)( נא| בבקשה)? (אותי|אותנו|את (שמי|השם שלי|הפרטים|המידע|הנתונים))...|לא (מעוניין|מעוניינת|מעוניינים|רוצה|רוצים)( יותר| לקבל| עוד){0,3} (לקבל|הודעות|הודעה|בהודעות|לשמוע|שתכתב|שתשלח|פניות)...|(חסמתי|דיווחתי|אדווח|אחסום|מדווח|חוסם)( אותך| אותכם| עליך| עליכם| על)...',
)
const HEBREW_WHOLE = 'די|די תפסיק(ו|י)?|תפסיק|תפסיקו|תפסיקי|הפסיקו|הפסק|הסר|הסירו|הסרה|להסיר|מספיק|עצור|עצרו'

/** Folds a text with the Persian and Urdu forms of two Arabic letters, because not everyone types these forms. */
const foldPersian = (text: string) => fold(text).replaceAll('ي', 'ی').replaceAll('ك', 'ک')

const PERSIAN = wordPattern(
  ...[
    '(پیام|مسیج|پی ام|دایرکت|تماس|پیغام|اسپم|دی ام)( دیگه| من| به من| با من| برام| دیگر| هم){0,3} (نده|ندید|ندهید|ندین|نفرست|نفرستید|نفرستین|نگیر|نگیرید|نگیرین|نکن|نکنید|نزن|نزنید|نمی ?خواهم|نمی ?خوام)...|مزاحم(م)?( من| ما)? (نشو|نشید|نشوید|نشین)|(منو|مرا|من را|من رو|اسمم|نامم|اسم من|نام من|اطلاعات من|اطلاعاتم|شماره من)( را| رو)?( از)?~ (حذف|پاک|خارج|بردار)...|دست از سر(م| من)...|(ولم|راحتم|تنهام) (کن|کنید|کنین|بذار|بگذار|بذارید)...|لغو (عضویت|اشتراک)|(نمی ?خوام|نمی ?خواهم|مایل نیستم)( دیگه| دیگر)?~ (پیام|تماس|دریافت)...|(دیگه|دیگر)( به من| برام| بهم| با من){0,2} (ننویس|نفرست|پیام نده|نده|تماس نگیر)...|(پیام|ارسال|تماس)~ (بس کن|تمام کن|متوقف|قطع)...|(بلاک|ریپورت)(ت|تون|تان)? (کردم|می ?کنم|شدی|میشی)',
    '(پیغام|پیغامات|میسج|میسیج|میسجز|رابطہ|تنگ|پریشان|ڈی ایم|سپیم|لکھنا|بھیجنا)( مجھے| مزید| کو| اب| کرنا| بھیجنا){0,2} (مت|نہ|نا|بند)...|مت (بھیج|لکھ|کر|کرو|کریں)...|(میرا|میری|میرے|مجھے|ہمیں)( نام| ڈیٹا| نمبر| معلومات| فہرست| لسٹ| اپنی| سے| کو| کا| اس| کی){0,5} (ہٹا|حذف|نکال|ڈیلیٹ|مٹا|ان سبسکرائب)...|پیچھا چھوڑ...|مجھے (اکیلا|معاف کر|چین سے|تنہا)...|(پیغام|پیغامات|میسج|میسجز|رابطہ)( مزید)? نہیں (چاہ|کر|بھیج)...|(بلاک|رپورٹ) کر (دوں|دیا|رہا|رہی|دونگا)',
  ].map(foldPersian),
)
const PERSIAN_WHOLE = foldPersian(
  'بسه|بس کن|بس کنید|بسه دیگه|توقف|کافیه|لغو|حذف|ول کن|ولم کن|بس کرو|بس کریں|بند کرو|بند کریں|رکو|رک جاؤ',
)

const INDIC = wordPattern(
  // Marathi
  '(पाठवू|करू|लिहू|देऊ) (नका|नको|नकोस)|(मेसेज|मॅसेज|संदेश|संपर्क|त्रास)( परत| पुन्हा)? (नको|नका|बंद)...|मला~ (काढा|काढून|हटवा|वगळा)|मला एकट...',
  // Bengali
  '(মেসেজ|ম্যাসেজ|বার্তা|যোগাযোগ|বিরক্ত|ডিএম|স্প্যাম|এসএমএস)( আর| করা| পাঠানো| দেওয়া){0,2}( করবেন| দেবেন| দিবেন| করো| দিও| পাঠাবেন| পাঠিও)? (না|বন্ধ)...|(লিখবেন|পাঠাবেন|করবেন|লিখো|পাঠিও|জ্বালাবেন) না|(পাঠানো|লেখা|মেসেজ|এসব) (বন্ধ|থামান)...|(আমাকে|আমার)( [^ ,]+){0,3} (সরান|মুছ|মুছুন|বাদ|সরিয়ে|ডিলিট)...|(আমাকে) (একা|শান্তিতে) (থাকতে|ছেড়ে)...',
  // Tamil
  '(அனுப்பாதீர்கள்|அனுப்பாதே|அனுப்பாதீங்க|அனுப்பவேண்டாம்|அனுப்ப வேண்டாம்|எழுதாதீர்கள்|தொந்தரவு செய்யாதீர்கள்|தொந்தரவு செய்யாதே|தொடர்பு கொள்ளாதீர்கள்|தொடர்பு கொள்ள வேண்டாம்|மெசேஜ் (பண்ணாதீங்க|செய்யாதீர்கள்|வேண்டாம்)|செய்தி(கள்)? வேண்டாம்)|(அனுப்புவதை|எழுதுவதை|மெசேஜ்) நிறுத்த...|(என்னை|என் பெயரை)~ (நீக்கு|நீக்க|எடுத்து)...',
  // Gujarati, Punjabi, Kannada and Malayalam
  '(મેસેજ|સંદેશ|સંપર્ક)( ફરી)? (ન|ના|નહીં) (કરો|કરશો|મોકલો|મોકલશો)|(ਮੈਸੇਜ|ਸੁਨੇਹੇ|ਸੰਪਰਕ)( ਹੋਰ)? (ਨਾ|ਨਹੀਂ) (ਕਰੋ|ਭੇਜੋ)|(ಮೆಸೇಜ್|ಸಂದೇಶ)( ಮತ್ತೆ)? (ಮಾಡಬೇಡಿ|ಕಳುಹಿಸಬೇಡಿ|ಕಳಿಸಬೇಡಿ)|(മെസേജ്|സന്ദേശം|മെസ്സേജ്)( ഇനി)? (അയക്കരുത്|അയയ്ക്കരുത്|ചെയ്യരുത്)',
  // Telugu
  'పంప(వద్దు|కండి|కు|ొద్దు)...|(మెసేజ్|సందేశాలు|మెసేజ్లు)( [^ ,]+)? (చేయ(కండి|వద్దు|కు|ొద్దు)|వద్దు|పంపొద్దు|ఆపండి)...|సంప్రదించ(వద్దు|కండి)...|(నన్ను|నా పేరు)~ (తొలగించ|తీసేయ)...',
)
const INDIC_WHOLE = 'থামুন|থামো|বন্ধ করুন|বন্ধ করো|நிறுத்து|நிறுத்துங்கள்|போதும்|ఆపండి|ఆపు|చాలు|थांबा|बंद करा|पुरे'

/** Thai writes no spaces between words. */
const THAI = new RegExp(
  fold(
    '(อย่า(?!ลืม|ลังเล|เกรงใจ)|ห้าม|ไม่ต้อง|หยุด|เลิก|งด|ไม่อยาก|ไม่ต้องการ|ไม่ขอ|ไม่รับ|ไม่เอา)[^,]{0,14}(ส่ง|ทัก|ติดต่อ|ข้อความ|รบกวน|ยุ่ง|สแปม|spam|dm|แชท|เมสเสจ|แมสเสจ|กวน|inbox)|(ลบ|เอา|ถอด|นำ|ตัด)[^,]{0,8}(ฉัน|ผม|หนู|เรา|ชื่อ)[^,]{0,20}(ออก|ทิ้ง)|ลบข้อมูล(ของ)?(ฉัน|ผม|เรา)|ยกเลิกการ(รับ|สมัคร|ติดตาม)|(^|,)(จะ)?(ยกเลิก|หยุด)(ได้)?(ยังไง|อย่างไร|ไง)|ทำไม(คุณ|ถึง|ยัง){0,3}ไม่(ยอม)?(หยุด|เลิก)|ปล่อย(ฉัน|ผม|เรา|หนู)|ไปไกล|(บล็อก|บล๊อก|รายงาน|รีพอร์ต)(แล้ว|คุณ|นะ|มึง)|(^|,)(หยุด|พอแล้ว|พอ|เลิก|สต็อป)(ครับ|ค่ะ|คะ|เถอะ|ได้แล้ว|นะ|ที|เลย)*(,|$)',
  ),
  'u',
)

const anchored = (words: string) => new RegExp(`^(?:${fold(words)})$`)

/** By script: the pattern that finds an opt-out in a sentence, and the one that must match a whole part of a text. */
const SPACED: readonly { letters: RegExp; pattern: RegExp; whole: RegExp; isPersian?: true }[] = [
  { letters: /\p{Script=Latin}/u, pattern: LATIN, whole: anchored(LATIN_WHOLE) },
  { letters: /\p{Script=Latin}/u, pattern: TRANSLITERATED, whole: anchored(TRANSLITERATED_WHOLE) },
  { letters: /\p{Script=Cyrillic}/u, pattern: CYRILLIC, whole: anchored(CYRILLIC_WHOLE) },
  { letters: /\p{Script=Arabic}/u, pattern: PERSIAN, whole: anchored(PERSIAN_WHOLE), isPersian: true },
  { letters: /\p{Script=Greek}/u, pattern: GREEK, whole: anchored(GREEK_WHOLE) },
  { letters: /\p{Script=Hebrew}/u, pattern: HEBREW, whole: anchored(HEBREW_WHOLE) },
  {
    letters:
      /[\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Kannada}\p{Script=Malayalam}]/u,
    pattern: INDIC,
    whole: anchored(INDIC_WHOLE),
  },
]

/**
 * Whether words ask not to be messaged again, in a language that the model does not know. @param
 * joinedWords folded words between single spaces @param parts the parts of the text, without polite words
 */
export function isForeignOptOut(joinedWords: string, parts: readonly string[]): boolean {
  for (const { letters, pattern, whole: wholePattern, isPersian } of SPACED) {
    if (!letters.test(joinedWords)) continue
    const read = isPersian ? foldPersian : (text: string) => text
    if (read(joinedWords).search(pattern) >= 0 || parts.some((part) => wholePattern.test(read(part)))) return true
  }
  return /\p{Script=Thai}/u.test(joinedWords) && THAI.test(joinedWords.replaceAll(' ', ''))
}
