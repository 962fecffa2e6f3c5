import { eq } from 'drizzle-orm'
import { decodeProtectedHeader } from 'jose'
import { beforeAll, expect, it } from 'vitest'
import { insertKeys, retireKeys, sealKeysAs } from '../../../../test/credentials.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { openLiveness } from '../../../db/liveness.ts'
import { authKeys } from './tables.ts'

/** A key as an earlier version stored it, with the same secret and origin. */
const KEY = {
  id: '01a22537-22ca-7f21-a63b-fb8ea2327b3f',
  publicKey: '{"crv":"Ed25519","x":"T-_F7KD_oX-g0dqJTGrxP9YrGSl0vccQX0JfwxrnrVU","kty":"OKP"}',
  privateKey:
    '"5957f988a6b604c405ef92883bcacecc0c74fa65a5636ad91364fe71242e345fdda1a00d365d4767f7381fe97a5333b1ef38b395eee220d8b04299ebcfc422eedcfa7420ee9a38c6586ecc3edd67b8a71c956a7011db0a0d00d488567704961d512fa37c3adcd42f531fcd9327108ba0b1be51fc409ae47bbe82bd3cb4669e8d6e32b6b9f7e157b3dc7b042049d9a2443c7e00a8a70455a3389965b73d543b099ee647ae014b8711b9"',
  alg: 'EdDSA',
  crv: 'Ed25519',
  expiresAt: new Date('2100-01-01'),
}
const CLAIMS = {
  sub: '0199aaaa-0000-7000-8000-000000000001',
  sid: '0199aaaa-0000-7000-8000-000000000002',
  wid: '0199aaaa-0000-7000-8000-000000000003',
  role: 'owner',
  mv: 7,
  jti: 'a-token-id',
  iat: 1_790_000_000,
  exp: 1_790_000_900,
}
/** An access token that the earlier version signed with this key. */
const TOKEN =
  'eyJhbGciOiJFZERTQSIsImtpZCI6IjAxYTIyNTM3LTIyY2EtN2YyMS1hNjNiLWZiOGVhMjMyN2IzZiJ9.eyJzdWIiOiIwMTk5YWFhYS0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDEiLCJzaWQiOiIwMTk5YWFhYS0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDIiLCJ3aWQiOiIwMTk5YWFhYS0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDMiLCJyb2xlIjoib3duZXIiLCJtdiI6NywianRpIjoiYS10b2tlbi1pZCIsImlhdCI6MTc5MDAwMDAwMCwiZXhwIjoxNzkwMDAwOTAwLCJpc3MiOiJodHRwOi8vbG9jYWxob3N0OjMwMDAiLCJhdWQiOiJodHRwOi8vbG9jYWxob3N0OjMwMDAifQ.eHp-hXRaipvBWgZoWjxenVq4LvNeMIp9SrfhJe4d7MjM3TYJulVHBwSlOgJYxkovDroHFC3htzhqyAVe7h0dDg'
const JWKS =
  '{"keys":[{"crv":"Ed25519","x":"T-_F7KD_oX-g0dqJTGrxP9YrGSl0vccQX0JfwxrnrVU","kty":"OKP","kid":"01a22537-22ca-7f21-a63b-fb8ea2327b3f","alg":"EdDSA","use":"sig"}]}'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
  await insertKeys(app, [KEY])
})

const readSealed = async () => (await app.db.select().from(authKeys)).map(({ privateKey }) => privateKey)

it('signs and publishes with a key of an earlier version exactly as before, and leaves it to a process that still runs', async () => {
  const older = await openLiveness(app.services.database)
  const { services } = await app.startAnother()
  expect(await services.auth.sign(app.db, CLAIMS)).toBe(TOKEN)
  expect(await (await fetch(`${app.url}/auth/jwks`)).text()).toBe(JWKS)
  expect(await readSealed()).toEqual([KEY.privateKey])
  await older.close()
})

it('seals the key again when processes start alone, and signs the same tokens on each', async () => {
  const started = await Promise.all([app.startAnother(), app.startAnother()])
  expect(await readSealed()).toEqual([expect.stringMatching(/^[\w-]+$/)])
  for (const { services } of [app, ...started]) expect(await services.auth.sign(app.db, CLAIMS)).toBe(TOKEN)
})

it('does not start with another secret, in either form', async () => {
  const startOther = () => app.startAnother({ env: { AUTH_SECRET: 'another secret of tests, as long as the first' } })
  await expect(startOther()).rejects.toThrow('encrypted with another AUTH_SECRET')
  await sealKeysAs(app, KEY.privateKey)
  await expect(startOther()).rejects.toThrow('encrypted with another AUTH_SECRET')
})

it('replaces an expired key by one of 90 days', async () => {
  await retireKeys(app, 1)
  const token = await app.services.auth.sign(app.db, { ...CLAIMS, exp: 4_000_000_000 })
  const kid = decodeProtectedHeader(token).kid as string
  expect(kid).not.toBe(KEY.id)
  const [made] = await app.db.select().from(authKeys).where(eq(authKeys.id, kid))
  expect((made!.expiresAt!.getTime() - made!.createdAt.getTime()) / 86_400_000).toBeCloseTo(90, 2)
  expect(await app.services.auth.verify(token)).toMatchObject({ userId: CLAIMS.sub })
})
