import { expect, it } from 'vitest'
import { readXUserId } from './x-user-id.ts'

it.each([
  ['44196397', '44196397'],
  [' 1588631281067221234 ', '1588631281067221234'],
  ["'1588631281067221234", '1588631281067221234'],
  ['="1588631281067221234"', '1588631281067221234'],
  ['44196397.0', '44196397'],
  ['44196397,00', '44196397'],
  ['100000000000000', '100000000000000'],
  ['9007199254740991', '9007199254740991'],
  ['18446744073709551615', '18446744073709551615'],
])('reads %j', (text, id) => {
  expect(readXUserId(text)).toEqual({ id })
})

it.each([
  ['1588631281067220000', 'by Excel'],
  ['1588631281067221200', 'by JavaScript'],
  ['1588631281067221234.0', 'by a library that reads numbers as floating-point'],
  ['1.58863E+18', 'with an exponent'],
  ['1,58863E+18', 'with an exponent and a decimal comma'],
  ['1.5886312810672205e18', 'with an exponent by JavaScript'],
  ['2E+09', 'with an exponent and one digit'],
])('does not believe %j, rounded %s', (text) => {
  expect(readXUserId(text)).toEqual({ fault: 'rounded' })
})

it.each([
  'abc',
  '-5',
  '1 2',
  '123456789012345678901',
  '12.5',
  '44,000',
  '44.000',
  '@ana',
  '',
  '0',
  '0012',
  '18446744073709551616',
])('rejects %j', (text) => {
  expect(readXUserId(text)).toEqual({ fault: 'spelling' })
})
