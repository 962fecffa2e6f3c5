import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'

/**
 * Creates a software passkey with an ES256 credential (WebAuthn Level 2, 6.3).
 * @param origin the page's origin, as reported by the browser
 */
export function createPasskey(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(16)
  let used = 0

  const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
  const authData = (flags: number, more = Buffer.alloc(0)) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(used)
    return Buffer.concat([sha256(new URL(origin).hostname), Buffer.from([flags]), count, more])
  }
  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const credential = (response: Record<string, string>) => ({
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key' as const,
    clientExtensionResults: {},
    response: response as { clientDataJSON: string },
  })

  return {
    /** Responds to `navigator.credentials.create`. */
    create({ challenge }: { challenge: string }) {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const key = cborMap([
        [cborInt(1), cborInt(2)],
        [cborInt(3), cborInt(-7)],
        [cborInt(-1), cborInt(1)],
        [cborInt(-2), cborBytes(Buffer.from(x, 'base64url'))],
        [cborInt(-3), cborBytes(Buffer.from(y, 'base64url'))],
      ])
      const data = authData(PRESENT | VERIFIED | ATTESTED, Buffer.concat([Buffer.alloc(16), length, id, key]))
      const attestation = cborMap([
        [cborText('fmt'), cborText('none')],
        [cborText('attStmt'), cborMap([])],
        [cborText('authData'), cborBytes(data)],
      ])
      return credential({
        clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
      })
    },
    /** Responds to `navigator.credentials.get`. */
    get({ challenge }: { challenge: string }) {
      used += 1
      const client = clientData('webauthn.get', challenge)
      const data = authData(PRESENT | VERIFIED)
      const signature = createSign('sha256')
        .update(Buffer.concat([data, sha256(client)]))
        .sign(privateKey)
      return credential({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
      })
    },
    /** Resets the signature counter, as in a cloned credential. */
    turnBack: () => {
      used = 0
    },
  }
}

const PRESENT = 0x01
const VERIFIED = 0x04
const ATTESTED = 0x40

// The part of CBOR (RFC 8949) that an attestation needs.
function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 0xff])
}
const cborInt = (value: number) => (value < 0 ? cborHead(1, -1 - value) : cborHead(0, value))
const cborBytes = (bytes: Buffer) => Buffer.concat([cborHead(2, bytes.length), bytes])
const cborText = (text: string) => Buffer.concat([cborHead(3, Buffer.byteLength(text)), Buffer.from(text)])
const cborMap = (entries: [Buffer, Buffer][]) => Buffer.concat([cborHead(5, entries.length), ...entries.flat()])
