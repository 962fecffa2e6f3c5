import { crc32 } from 'node:zlib'
import { API_KEY_PREFIX } from '@x-automated/contract/platform/api-keys'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 256 bits in base62. */
const BODY_LENGTH = 43
const CHECKSUM_LENGTH = 6
const FORMAT = new RegExp(`^${API_KEY_PREFIX}([0-9A-Za-z]{${BODY_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`)

/** An API key: its prefix, 32 random bytes in base62, and their checksum. */
export function keyOf(bytes: Buffer): string {
  const body = base62(BigInt(`0x${bytes.toString('hex')}`), BODY_LENGTH)
  return API_KEY_PREFIX + body + checksumOf(body)
}

/** Whether the text has the format and the checksum of an API key. */
export function isKey(text: string): boolean {
  const [, body, checksum] = FORMAT.exec(text) ?? []
  return body !== undefined && checksum === checksumOf(body)
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
