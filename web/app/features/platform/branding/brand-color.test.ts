import fc from 'fast-check'
import { expect, it } from 'vitest'
import { contrastOf, inkOn, shapeColor } from './brand-color'

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)

it('measures contrast as WCAG does', () => {
  expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
})

it.each([
  ['#ffffff', '#000000'],
  ['#ffe600', '#000000'],
  ['#1d4ed8', '#ffffff'],
  ['#000000', '#ffffff'],
])('writes on %s in %s', (background, ink) => {
  expect(inkOn(background)).toBe(ink)
})

it('keeps text readable on any color', () => {
  fc.assert(fc.property(color, (background) => contrastOf(background, inkOn(background)) >= 4.5))
})

it('keeps shapes visible in both schemes, and changes no color unnecessarily', () => {
  expect(shapeColor('#1d7a3c')).toMatch(/^light-dark\(#1d7a3c, /)
  fc.assert(
    fc.property(color, (brand) => {
      const [, light = '', dark = ''] = /^light-dark\((#\w+), (#\w+)\)$/.exec(shapeColor(brand)) ?? []
      return contrastOf(light, '#ffffff') >= 3 && contrastOf(dark, '#171a16') >= 3
    }),
  )
})
