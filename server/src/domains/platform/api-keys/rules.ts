import { crc32 } from 'node:zlib'
import { API_KEY_PREFIX } from '@x-automated/contract/platform/api-keys'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 256 bits in base62. */
const BODY_LENGTH = 43
const CHECKSUM_LENGTH = 6

/** An API key: its prefix, 32 random bytes in base62, and their checksum. */
export function keyOf(bytes: Buffer): string {
  const body = base62(BigInt(`0x${bytes.toString('hex')}`), BODY_LENGTH)
  return API_KEY_PREFIX + body + checksumOf(body)
}

/** Whether the text is formatted like an API key. Typing errors and inventions are not. */
export function isKey(text: string): boolean {
  if (!/^[0-9A-Za-z]{49}$/.test(text.slice(API_KEY_PREFIX.length)) || !text.startsWith(API_KEY_PREFIX)) return false
  return text.endsWith(checksumOf(text.slice(API_KEY_PREFIX.length, -CHECKSUM_LENGTH)))
}

function checksumOf(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_LENGTH)
}

function base62(value: bigint, length: number): string {
  let [text, rest] = ['', value]
  while (text.length < length) {
    text = DIGITS[Number(rest % 62n)] + text
    rest /= 62n
  }
  return text
}
