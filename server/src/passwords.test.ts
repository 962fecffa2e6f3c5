import { expect, it } from 'vitest'
import { hashPassword, verifyPassword } from './passwords.ts'

/** Stored by an earlier version for 'Ångström ﬁne 1'. */
const SALT = '6dee879a91427d68be5a04223de9eddf'
const HASH = `${SALT}:a5b972f5e661331e232c9811380d935f1ea6c78fad4beebe1fbb6a1fef34f9c8391bbdad4f33c616013079e97a397fb22653a2ee6fb82da265535cfb127dbbf2`

it('accepts a hash of an earlier version for its password, in every Unicode form', async () => {
  expect(await hashPassword('Ångström ﬁne 1', SALT)).toBe(HASH)
  for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'])
    expect(await verifyPassword(HASH, 'Ångström ﬁne 1'.normalize(form))).toBe(true)
})

it('rejects another password, and what is not a hash', async () => {
  expect(await verifyPassword(HASH, 'Ångström fine 2')).toBe(false)
  expect(await verifyPassword(SALT, 'Ångström ﬁne 1')).toBe(false)
})

it('salts each hash', async () => {
  const [first, second] = await Promise.all([hashPassword('the same'), hashPassword('the same')])
  expect(first).not.toBe(second)
  expect(await verifyPassword(first, 'the same')).toBe(true)
})
