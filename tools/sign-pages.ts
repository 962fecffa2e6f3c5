import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import {
  PAGE_PARTS,
  type PagePart,
  parsePages,
  type SignedPages,
  signedText,
} from '@x-automated/contract/outreach/extension-pages'
import { parse } from 'css-what'
import { root } from './root.ts'

// `npm run sign:pages -- --key FILE` signs extension/pages.json offline, after an edit. In a fork,
// first create a key with `--new-key FILE`. See extension/README.md.

const DAYS = 365
const DAY_MS = 24 * 60 * 60_000

/** Signs the document as the next version. @param now in milliseconds since 1970 @throws Error */
export function signPages(document: unknown, key: KeyObject, now: number): SignedPages {
  const { version, pages } = parsePages(document)
  for (const name of Object.keys(PAGE_PARTS) as PagePart[])
    if (PAGE_PARTS[name] === 'selectors') for (const selector of pages[name]) requireSelector(name, selector)
  const next = { version: version + 1, notAfter: new Date(now + DAYS * DAY_MS).toISOString(), pages }
  return { ...next, signature: sign(null, Buffer.from(signedText(next)), key).toString('base64') }
}

function requireSelector(name: PagePart, selector: string): void {
  try {
    parse(selector)
  } catch (error) {
    throw new Error(`${name}: ${selector} is not a selector: ${(error as Error).message}`)
  }
}

/** Returns the 32 bytes of the public key, in base64. */
export function publicKeyOf(key: KeyObject): string {
  return Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64')
}

function run(): void {
  const { values } = parseArgs({ options: { key: { type: 'string' }, 'new-key': { type: 'string' } } })
  const keyOption = values.key ?? values['new-key']
  if (keyOption === undefined)
    throw new Error('Name the private key: npm run sign:pages -- --key FILE (or --new-key FILE)')
  const keyFile = resolve(process.env.INIT_CWD ?? '.', keyOption)
  if (!relative(root, keyFile).startsWith('..')) throw new Error('Keep the private key outside of the repository.')
  const keyPath = join(root, 'extension', 'pages-key.json')
  if (values['new-key'] !== undefined) createKey(keyFile, keyPath)
  const key = createPrivateKey(readFileSync(keyFile))
  const { publicKey } = JSON.parse(readFileSync(keyPath, 'utf8')) as { publicKey: string }
  if (publicKeyOf(key) !== publicKey) throw new Error('This key does not belong to extension/pages-key.json.')
  const pagesFile = join(root, 'extension', 'pages.json')
  const signed = signPages(JSON.parse(readFileSync(pagesFile, 'utf8')), key, Date.now())
  writeFileSync(pagesFile, `${JSON.stringify(signed, null, 2)}\n`)
  console.log(`Signed version ${signed.version} of extension/pages.json, valid until ${signed.notAfter}.`)
}

function createKey(keyFile: string, keyPath: string): void {
  if (existsSync(keyFile)) throw new Error(`${keyFile} already exists.`)
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  chmodSync(keyFile, 0o600)
  writeFileSync(keyPath, `${JSON.stringify({ publicKey: publicKeyOf(privateKey) }, null, 2)}\n`)
}

if (process.argv[1] === import.meta.filename) {
  try {
    run()
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}
