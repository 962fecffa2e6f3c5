import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asksToStop, labelByRule } from './labels.ts'

const now = new Date('2026-11-20T12:00:00Z')
const classify = (text: string, timeZone = 'UTC', optOutWords: string[] = []) =>
  labelByRule(text, { optOutWords, now, timeZone })

describe('labelByRule', () => {
  it.each([
    'STOP',
    'Please stop messaging me.',
    'unsubscribe',
    "Don't DM me again",
    'Bitte keine Nachrichten mehr!',
    'Schreib mir nicht mehr',
    'Lassen Sie mich in Ruhe.',
    'Ne m’écrivez plus, merci',
    'Laissez-moi tranquille',
    'No me escribas más',
    'Quiero darme de baja',
    'Pare de me mandar mensagem',
    'Não quero receber isso',
    'Non mi contatti più',
    'Laat me met rust',
    'Proszę nie pisać do mnie',
    'Sluta skriva till mig',
    'Skriv ikke til mig igen',
    'Lütfen bana yazma',
    'Не пишите мне больше',
    'Jangan hubungi saya lagi',
    'لا تراسلني مرة أخرى',
    'もう連絡しないでください',
    '请不要再联系我',
    '더 이상 연락하지 마세요',
    'Out of office until Monday. Reply STOP to opt out.',
  ])('labels %j as opted out', (text) => {
    expect(classify(text)).toEqual({ label: 'opted_out', until: null })
  })

  it("checks the workspace's own words, in addition to the built-in ones", () => {
    expect(classify('Nee bedankt', 'UTC', ['nee bedankt'])?.label).toBe('opted_out')
    expect(classify('Nee bedankt')).toBeNull()
    expect(classify('stop', 'UTC', ['nee bedankt'])?.label).toBe('opted_out')
  })

  it.each([
    ["Automatic reply: I'm out of the office until 3 December with limited access to email.", '2026-12-03'],
    ["Hi, thanks for your message! I'm away until March 3.", '2027-03-03'],
    ["I'm on vacation until Monday, back on Tuesday.", '2026-11-24'],
    ["OOO this week, I'll be back on Nov 30th", '2026-11-30'],
    ["Thanks for contacting Acme! We'll get back to you within 2 days.", null],
    ['This is an automated message. We are available 24/7 at acme.example.', null],
    ['Out of office. Our conference is on June 15.', null],
    ['Abwesenheitsnotiz: Ich bin bis zum 07.12.2026 im Urlaub und ab dem 8.12. wieder da.', '2026-12-08'],
    ['Ich bin derzeit nicht im Büro und ab dem 12. Januar wieder erreichbar.', '2027-01-12'],
    ['Automatische Antwort: Vielen Dank für Ihre Nachricht. Wir melden uns.', null],
    ["Réponse automatique : je suis absente jusqu'au 5 janvier inclus.", '2027-01-05'],
    ['Je suis en vacances, de retour lundi.', '2026-11-23'],
    ['Respuesta automática: estoy de vacaciones hasta el 9 de diciembre.', '2026-12-09'],
    ['Gracias por contactarnos, te responderemos pronto.', null],
    ['Resposta automática: estou de férias até 15 de janeiro de 2027.', '2027-01-15'],
    ['Recebemos sua mensagem e responderemos em breve!', null],
    ['Risposta automatica: sono in ferie fino al 9 gennaio.', '2027-01-09'],
    ['Автоответ: я в отпуске до 15 января.', '2027-01-15'],
    ['自動返信：1月5日まで不在にしております。', '2027-01-05'],
  ])('labels %j as an automatic reply, back on %s', (text, day) => {
    expect(classify(text)).toEqual({ label: 'auto_reply', until: day && new Date(day) })
  })

  it.each([
    ['Not right now, but reach out next month', '2026-12-01'],
    ['Busy until January 10', '2027-01-10'],
    ['Can you ping me in two weeks?', '2026-12-04'],
    ['Maybe next quarter', '2027-01-01'],
    ['Get back to me after the 15th please', '2026-12-15'],
    ['Not now, call me in March', '2027-03-01'],
    ['Gerade nicht, melden Sie sich gern im Februar', '2027-02-01'],
    ['Schreib mir in zwei Wochen noch mal', '2026-12-04'],
    ['Pas maintenant, recontactez-moi le mois prochain', '2026-12-01'],
    ['Ahora no, escríbeme en enero', '2027-01-01'],
    ['Agora não, me chama mês que vem', '2026-12-01'],
  ])('labels %j as later, on %s', (text, day) => {
    expect(classify(text)).toEqual({ label: 'later', until: new Date(day) })
  })

  it.each([
    'Sounds great, tell me more',
    'Yes! How much is it?',
    'Let’s talk on Monday',
    'Can we have a call next week?',
    'Get in touch on Tuesday for a demo',
    'Not right now',
    'Reach out in a few weeks',
    'Not interested, maybe next year',
    'Kein Interesse',
    'Guten Morgen! Was kostet das?',
    'Ask Lena, she is back on Monday',
    'I can’t stop reading this',
    "I'll get back to you on Monday",
    '👍',
    '',
  ])('leaves %j to others', (text) => {
    expect(classify(text)).toBeNull()
  })

  it('returns the start of the day in the time zone of the account', () => {
    expect(classify('away until Monday', 'America/New_York')?.until).toEqual(new Date('2026-11-23T05:00:00Z'))
    expect(classify('away until Monday', 'Mars/Base')?.until).toEqual(new Date('2026-11-23T00:00:00Z'))
  })

  it('takes under 5 ms of processor time for a long reply', () => {
    const text = 'Thanks for your message, I will read it when I am at my desk again. '.repeat(75)
    const times = Array.from({ length: 50 }, () => {
      const before = process.cpuUsage()
      classify(text)
      return process.cpuUsage(before).user / 1_000
    }).sort((a, b) => a - b)
    // Processor time of other tests' threads is counted too, so only the fastest runs show what the
    // rules need.
    expect(times[5]).toBeLessThan(5)
  })
})

const WORDS = ['stop', 'unsubscribe', 'opt out', 'opt-out', 'remove me', "don't contact"]

describe('asksToStop', () => {
  it.each([
    'STOP',
    'stop.',
    'Please stop messaging me.',
    'Unsubscribe',
    'Not interested, remove me from your list',
    'Opt out!',
    'opt-out pls',
    'Don’t contact me again',
    'ＳＴＯＰ',
    '🛑 stop 🛑',
    'I can’t stop you, but please stop',
  ])('returns true for %j', (text) => {
    expect(asksToStop(text, WORDS)).toBe(true)
  })

  it.each([
    '',
    'Sounds great, tell me more',
    'a non-stop flight',
    'unstoppable',
    'stopped by',
    "I can't stop reading this",
    'out opt',
  ])('returns false for %j', (text) => {
    expect(asksToStop(text, WORDS)).toBe(false)
  })

  it("uses a workspace's own words in any script and ignores empty ones", () => {
    expect(asksToStop('Bitte nicht mehr schreiben!', ['nicht mehr schreiben'])).toBe(true)
    expect(asksToStop('もういい', ['もういい'])).toBe(true)
    expect(asksToStop('stop', ['aufhören', '', '!!'])).toBe(false)
  })

  it('finds a word at any position', () => {
    const filler = fc.array(fc.constantFrom('hello', 'thanks', 'so', '😀', 'much', '-', '!'))
    fc.assert(
      fc.property(filler, fc.constantFrom(...WORDS), filler, (before, word, after) =>
        asksToStop([...before, word.toUpperCase(), ...after].join(' '), WORDS),
      ),
    )
  })
})
