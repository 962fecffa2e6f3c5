import { expect, it } from 'vitest'
import { priceOf } from './prices.ts'

it('knows the price of a model, also with the date of its version', () => {
  expect(priceOf('GPT-4o-mini-2024-07-18')).toEqual({ input: 15, output: 60 })
})

it.each(['my-model', '__proto__', 'constructor'])('knows no price of %s', (model) => {
  expect(priceOf(model)).toBeNull()
})
