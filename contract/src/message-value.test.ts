import { describe, expect, it } from 'vitest'
import { messageValue, oneLine } from './message-value.ts'

describe('messageValue', () => {
  it.each([
    'null',
    'NULL',
    '(null)',
    'N/A',
    'N / A',
    'n.a.',
    '#REF!',
    '#VALUE!',
    '#DIV/0!',
    '#n/a',
    '-',
    '--',
    ' \u2013 ',
    '.',
    'None',
    'undefined',
    'NA',
    'NaN',
    'nan',
    'nil',
    'TBD',
    'tba',
    '{first_name}',
    '{{ company }}',
    '[[name]]',
    '*|FNAME|*',
    '<%= name %>',
  ])('has no value for %j', (text) => {
    expect(messageValue(text)).toBe('')
  })

  it('has no braces, which mark variables', () => {
    expect(messageValue('Ann {the builder} }{')).toBe('Ann (the builder) )(')
  })

  it.each([
    'Na',
    'Nan',
    'Nil',
    'TBD Labs',
    'Nulls',
    'A-',
    'N/A Records',
    '-1',
    '0',
    'Nonesuch',
    '👩\u200d👩\u200d👧',
    'می\u200cخواهم',
    '🏴\u{e0067}\u{e007f}',
  ])('keeps %j', (text) => {
    expect(messageValue(text)).toBe(text)
  })

  it.each([
    ['Ana\nLee', 'Ana Lee'],
    ['Ana \r\n\t Lee', 'Ana Lee'],
    ['Ana\u2028Lee\u0085', 'Ana Lee'],
    ['\u202eeeL anA\u202c', 'eeL anA'],
    ['\u200bnull\ufeff', ''],
    ['a  b', 'a  b'],
  ])('reads %j as %j', (text, value) => {
    expect(messageValue(text)).toBe(value)
  })
})

it('oneLine keeps words that say nothing, in linear time', () => {
  expect(oneLine('- \n-')).toBe('- -')
  const long = `a${' \n'.repeat(100_000)}b`
  const began = performance.now()
  expect(oneLine(long)).toBe('a b')
  expect(performance.now() - began).toBeLessThan(1_000)
})
