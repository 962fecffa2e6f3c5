import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findDay } from './dates.ts'

// A Friday.
const today = '2026-11-20'

describe('findDay', () => {
  it.each([
    ['Back on 12 Jan', '2027-01-12'],
    ["I'm away until March 3", '2027-03-03'],
    ['away until March 3rd, 2027.', '2027-03-03'],
    ['I will return on Monday, December 7th', '2026-12-07'],
    ['Out of the office through 2026-12-31', '2026-12-31'],
    ['out of office from Dec 20 to Jan 3', '2027-01-03'],
    ['Out of office: Dec 20 – 28', '2026-12-28'],
    ['away 10–20 January', '2027-01-20'],
    ['Until Monday I have no access to messages. Back on Tuesday.', '2026-11-24'],
    ["I'll be back in two weeks", '2026-12-04'],
    ['back next week', '2026-11-23'],
    ['until 13/1/2027', '2027-01-13'],
    ['Ich bin bis zum 12. Januar nicht erreichbar', '2027-01-12'],
    ['bis 07.12.2026 im Urlaub', '2026-12-07'],
    ['Ich bin vom 1.12. bis 7.12. nicht da', '2026-12-07'],
    ['ab März wieder', '2027-03-01'],
    ['wieder am Montag', '2026-11-23'],
    ['zurück in drei Tagen', '2026-11-23'],
    ["absent jusqu'au 5 janvier", '2027-01-05'],
    ['de retour lundi prochain', '2026-11-23'],
    ['de retour le 1er décembre', '2026-12-01'],
    ['fuera hasta el 9 de diciembre', '2026-12-09'],
    ['vuelvo el lunes', '2026-11-23'],
    ['de férias até 15 de janeiro de 2027', '2027-01-15'],
    ['volto na segunda-feira', '2026-11-23', false],
    ['until Friday', '2026-11-27'],
    ['fino al 9 gennaio', '2027-01-09'],
    ['tot 12 januari', '2027-01-12'],
    ['до 15 января', '2027-01-15'],
    ['1月5日まで', '2027-01-05'],
    ['until the end of January', '2027-01-31'],
  ])('finds the end in %j: %s', (text, day, isEnd = true) => {
    expect(findDay(text, today)).toEqual({ day, isEnd })
  })

  it.each([
    ['next month', '2026-12-01'],
    ['in a couple of weeks', '2026-12-04'],
    ['next quarter', '2027-01-01'],
    ['next year', '2027-01-01'],
    ['next Wednesday', '2026-11-25'],
    ['tomorrow', '2026-11-21'],
    ['the 15th', '2026-12-15'],
    ['in January', '2027-01-01'],
    ['mid-February', '2027-02-15'],
    ['nächsten Monat', '2026-12-01'],
    ['in zwei Wochen', '2026-12-04'],
    ['le mois prochain', '2026-12-01'],
    ['dans trois semaines', '2026-12-11'],
    ['la semana que viene', '2026-11-23'],
    ['el próximo mes', '2026-12-01'],
    ['em duas semanas', '2026-12-04'],
    ['no próximo mês', '2026-12-01'],
    ['em janeiro', '2027-01-01'],
    ['il mese prossimo', '2026-12-01'],
    ['a marzo', '2027-03-01'],
    ['over drie weken', '2026-12-11'],
    ['nästa månad', '2026-12-01'],
    ['w styczniu', '2027-01-01'],
    ['iki hafta sonra', '2026-12-04'],
    ['15 января', '2027-01-15'],
    ['через две недели', '2026-12-04'],
    ['来月', '2026-12-01'],
    ['1月15日', '2027-01-15'],
    ['下个月', '2026-12-01'],
    ['3개월 후', '2027-02-20'],
    ['الشهر القادم', '2026-12-01'],
    ['अगले महीने', '2026-12-01'],
  ])('finds the day in %j: %s', (text, day) => {
    expect(findDay(text, today)).toMatchObject({ day })
  })

  it.each([
    ['no date', 'Sounds great, tell me more'],
    ['an ambiguous date', 'until 03/04'],
    ['opening hours', 'we are here for you 24/7'],
    ['several days', 'Tuesday or Thursday works'],
    ['a date that was recently', 'Back on Nov 2'],
    ['a date of an earlier year', 'until 3 March 2025'],
    ['a date years ahead', 'until 3 March 2030'],
    ['a day that does not exist', 'until 31 February'],
    ['a vague time', 'in a few weeks'],
    ['English words that are months elsewhere', 'three days ago, out of 12, set 3'],
    ['a verb', 'you may 3x that'],
    ['another verb', 'I may do that'],
    ['the present month', 'in November'],
    ['German mornings', 'Guten Morgen'],
    ['a time', 'at 12:30'],
    ['a version', 'we use 3.1'],
  ])('finds none in %s', (_, text) => {
    expect(findDay(text, today)).toBeNull()
  })

  it('finds only days after today, however long the text', () => {
    const piece = fc.constantFrom(
      'until',
      'Monday',
      '12',
      'Jan',
      '3.',
      'in',
      'two',
      'weeks',
      'next',
      'may',
      '/',
      '-',
      'é',
      'x',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const result = findDay(pieces.join(' '), today)
        if (result) expect(result.day > today && result.day < '2028').toBe(true)
      }),
    )
    const before = performance.now()
    findDay('12 12 '.repeat(100_000), today)
    expect(performance.now() - before).toBeLessThan(1_000)
  })
})
