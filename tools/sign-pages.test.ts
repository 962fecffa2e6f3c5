import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { verifyPages } from '../extension/src/signed-pages.ts'
import { root } from './root.ts'
import { publicKeyOf, signPages } from './sign-pages.ts'

const committed = JSON.parse(readFileSync(join(root, 'extension', 'pages.json'), 'utf8'))
const { privateKey } = generateKeyPairSync('ed25519')
const now = Date.parse('2026-11-28')

test('signs the next version, which the extension accepts for a year', async () => {
  const signed = signPages(committed, privateKey, now)
  expect(signed).toMatchObject({ version: committed.version + 1, notAfter: '2027-11-28T00:00:00.000Z' })
  const trust = { publicKey: publicKeyOf(privateKey), versions: [committed.version], now }
  expect(await verifyPages(signed, trust)).toEqual(signed)
})

test('refuses to sign what is not a selector', () => {
  const pages = { ...committed.pages, composer: ['[data-testid="a"'] }
  expect(() => signPages({ ...committed, pages }, privateKey, now)).toThrow(
    'composer: [data-testid="a" is not a selector',
  )
})

test('refuses a private key inside the repository', async () => {
  const run = promisify(execFile)(process.execPath, [
    join(root, 'tools', 'sign-pages.ts'),
    '--key',
    join(root, 'key.pem'),
  ])
  await expect(run).rejects.toMatchObject({ stderr: expect.stringContaining('outside of the repository') })
})
