import { expect, it } from 'vitest'
import { CONNECTIONS, sharesOf } from './open.ts'

it.each([
  [CONNECTIONS.default, { side: 2, signIn: 2, public: 1, sending: 3, requests: 6 }],
  [10, { side: 2, signIn: 1, public: 1, sending: 2, requests: 3 }],
  [6, { side: 1, signIn: 1, public: 0, sending: 1, requests: 2 }],
  [CONNECTIONS.min, { side: 1, signIn: 1, public: 0, sending: 0, requests: 2 }],
  [45, { side: 2, signIn: 6, public: 3, sending: 9, requests: 24 }],
])('sharesOf %i adds up with the session', (max, shares) => {
  expect(sharesOf(max)).toEqual(shares)
  expect(1 + Object.values(shares).reduce((sum, connections) => sum + connections)).toBe(max)
})
