import { describe, expect, it } from 'vitest'
import { isOptOut } from './opt-out.ts'
import { fold } from './text.ts'

const asksToStop = (text: string) => isOptOut(fold(text))

describe('isOptOut', () => {
  it.each([
    'pls stop',
    'ＳＴＯＰ',
    's\u200bt\u200bop',
    'No thanks. Take us off your list',
    'I never signed up for this and do not want to hear from you',
    'Nimm mich bitte aus dem Verteiler',
    'Je ne veux plus recevoir vos messages',
    'Bórrenme de su base de datos',
    'Me tira dessa lista',
    'Toglimi dalla lista',
    'Ik wil geen berichten meer ontvangen',
    'Usuńcie mnie z bazy',
    'Bana bir daha mesaj atmayın',
    'Отстаньте',
    'Ta bort mig från listan',
    'もう送ってこないでください',
    '别再发消息了',
    '연락하지 마세요',
    'मुझे मैसेज मत करो',
    'توقف عن مراسلتي',
    'أوقف',
    'ابعد عني',
    '🛑',
    '$top',
    '5top',
    'st0p',
    'ЅТОР',
    'S T O P',
    's.t.o.p',
    's-t-o-p',
    'ѕtop',
    'STΟP',
    'un5ubscribe',
    'unsub$cribe',
    'u n s u b s c r i b e',
    'unѕubscribе',
    '$top messaging me',
    'please st0p',
    '$TOP!!',
    'st00p',
  ])('finds the opt-out in %j', (text) => {
    expect(asksToStop(text)).toBe(true)
  })

  it.each([
    "Please don't stop, I love these",
    'Stop by our booth on Thursday',
    'Can it stop when someone replies?',
    "Don't hesitate to contact me",
    'A one stop shop, nice',
    'Do people unsubscribe a lot?',
    'My Monday is blocked, Tuesday works',
    'Ahora no, escríbeme en marzo',
    'Agora não, me chama em março',
    'Bitte hör nicht auf',
    "Won't work for us",
    'いいですね',
    'Top 5',
    '5 to 7 pm works',
    '感兴趣',
    '관심 있습니다',
  ])('finds none in %j', (text) => {
    expect(asksToStop(text)).toBe(false)
  })
})

/** Opt-outs in the languages that the model is not trained on. */
const FOREIGN: Record<string, string[]> = {
  id: ['Jangan kirim pesan lagi', 'Tolong berhenti menghubungi saya', 'Hapus saya dari daftar kalian', 'Berhenti'],
  ms: ['Tolong jangan mesej saya lagi', 'Saya tak nak terima mesej ini lagi', 'Padam nama saya dari senarai'],
  ro: [
    'Nu-mi mai scrie',
    'Nu mă mai deranjați',
    'Vă rog să nu mă mai contactați',
    'Lasă-mă în pace',
    'Ștergeți-mă din lista',
    'Opriți-vă',
  ],
  cs: [
    'Už mi nepiš',
    'Neobtěžujte mě',
    'Přestaňte mi posílat zprávy',
    'Dejte mi pokoj',
    'Nechci dostávat další zprávy',
    'Smažte mě',
  ],
  sk: ['Už mi nepíšte', 'Prestaňte mi posielať správy', 'Dajte mi pokoj'],
  da: ['Skriv ikke til mig igen', 'Stop med at sende mig beskeder', 'Lad mig være i fred', 'Slet mig fra jeres liste'],
  no: ['Ikke skriv til meg mer', 'Slutt å sende meg meldinger', 'La meg være i fred', 'Slett meg fra listen'],
  fi: [
    'Älä enää kirjoita minulle',
    'Lopettakaa viestien lähettäminen',
    'Jätä minut rauhaan',
    'Poistakaa minut listalta',
    'En halua viestejä',
  ],
  hu: ['Ne írjon nekem többet', 'Hagyjon békén', 'Nem kérek több üzenetet', 'Töröljenek a listáról', 'Elég volt'],
  vi: [
    'Đừng nhắn tin cho tôi nữa',
    'dung nhan tin nua',
    'Xóa tôi khỏi danh sách',
    'Để tôi yên',
    'Tôi không muốn nhận tin nhắn',
  ],
  tl: [
    'Huwag mo na akong i-message',
    'Huwag ka nang mag-message sa akin',
    'Tigilan mo na ako',
    'Alisin niyo po ako sa listahan',
    'Ayoko nang makatanggap ng ganito',
  ],
  ca: ["No m'escriguis més", 'Deixeu-me en pau', 'No vull rebre més missatges', 'Esborreu-me de la llista'],
  hr: ['Nemojte mi više pisati', 'Ostavite me na miru', 'Obrišite me s popisa', 'Ne želim primati poruke'],
  uk: ['Не пишіть мені більше', 'Припиніть надсилати повідомлення', 'Видаліть мене зі списку', 'Дайте мені спокій'],
  bg: [
    'Не ми пишете повече',
    'Спрете да ми пращате съобщения',
    'Махнете ме от списъка',
    'Не искам да получавам съобщения',
  ],
  sr: ['Немојте ми више писати', 'Оставите ме на миру', 'Обришите ме са листе'],
  el: [
    'Μη μου ξαναγράψεις',
    'Σταματήστε να μου στέλνετε μηνύματα',
    'Άσε με ήσυχο',
    'Διαγράψτε με από τη λίστα',
    'Δεν θέλω άλλα μηνύματα',
    'Σταμάτα',
  ],
  he: [
    'אל תכתוב לי יותר',
    'תפסיקו לשלוח לי הודעות',
    'תעזבו אותי',
    'תסירו אותי מהרשימה',
    'לא מעוניין לקבל הודעות',
    'הסר',
  ],
  fa: [
    'دیگه به من پیام نده',
    'لطفاً پیام نفرستید',
    'اسم من را از لیست حذف کنید',
    'مزاحم نشو',
    'نمی‌خواهم پیام دریافت کنم',
    'بسه',
  ],
  ur: ['مجھے دوبارہ میسج مت کرو', 'مجھے پیغام نہ بھیجیں', 'میرا نام فہرست سے ہٹا دیں', 'میرا پیچھا چھوڑ دو'],
  th: ['อย่าส่งข้อความมาอีก', 'หยุดทักได้แล้ว', 'กรุณาลบชื่อผมออกจากรายชื่อ', 'ไม่ต้องการรับข้อความ', 'หยุดครับ'],
  bn: ['আমাকে আর মেসেজ করবেন না', 'মেসেজ পাঠানো বন্ধ করুন', 'আমাকে তালিকা থেকে বাদ দিন'],
  ta: ['எனக்கு செய்தி அனுப்பாதீர்கள்', 'மெசேஜ் அனுப்புவதை நிறுத்துங்கள்', 'என்னை பட்டியலில் இருந்து நீக்குங்கள்'],
  mr: ['मला मेसेज पाठवू नका', 'मला यादीतून काढा'],
  sl: ['Nehajte mi pisati', 'Ne pišite mi več'],
  lt: ['Nustokite man rašyti', 'Nerašykite man'],
  lv: ['Beidziet man rakstīt', 'Nerakstiet man'],
  et: ['Lõpetage kirjutamine', 'Ärge kirjutage mulle'],
  sw: ['Acheni kunitumia ujumbe', 'Usinitumie ujumbe'],
  te: ['నాకు మెసేజ్ చేయకండి', 'నన్ను జాబితా నుండి తొలగించండి'],
}

describe('isOptOut in other languages', () => {
  it.each(Object.entries(FOREIGN).flatMap(([language, texts]) => texts.map((text) => ({ language, text }))))(
    'finds the opt-out in $language: $text',
    ({ text }) => {
      expect(asksToStop(text)).toBe(true)
    },
  )

  it.each([
    'Sună bine, scrie-mi mai multe',
    'Zní to zajímavě, kolik to stojí?',
    'Det lyder spændende, send mere',
    'Kuulostaa hyvältä, kerro lisää',
    'Jól hangzik, mennyibe kerül?',
    'Nghe hay đấy, giá bao nhiêu?',
    'Magkano po? Interesado ako',
    'Boleh kirim info lebih lanjut?',
    'Ακούγεται καλό, πόσο κοστίζει;',
    'נשמע טוב, כמה זה עולה?',
    'جالبه، قیمتش چنده؟',
    'دلچسپ ہے، قیمت کیا ہے؟',
    'น่าสนใจครับ ราคาเท่าไหร่',
    'อย่าลืมส่งรายละเอียดนะคะ',
    'Звучить цікаво, скільки коштує?',
    'Звучи интересно, колко струва?',
    'মজার তো, দাম কত?',
    "Sona bé, explica'm més",
    'Zvuči dobro, koliko košta?',
    'Ya están listos, gracias',
    'I will send you a slot next week',
    'Sounds great! Best, Huy',
    'Merhaba dost, detayları gönder',
    'Selam, dost',
    'Sim, seis.',
    'Gata',
    '500? Nok?',
    'Wag kang mag-alala, interesado ako',
    'Nu mă deranjează, trimite detalii',
    'Mě to neobtěžuje, pošlete víc',
  ])('finds none in %j', (text) => {
    expect(asksToStop(text)).toBe(false)
  })
})
