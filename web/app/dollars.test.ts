import { expect, it } from 'vitest'
import { centsOf, dollarsOf } from './dollars'

it.each([
  ['', null],
  ['2', 200],
  ['0.15', 15],
  ['0,15', 15],
  ['0.075', 7.5],
  ['two', undefined],
  ['-1', undefined],
])('reads %j as %j cents', (text, cents) => expect(centsOf(text)).toBe(cents))

it('writes what it has read', () => expect(dollarsOf(centsOf('1.5') ?? null)).toBe('1.5'))
