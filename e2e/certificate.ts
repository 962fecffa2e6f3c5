import { createSign, generateKeyPairSync, randomBytes } from 'node:crypto'

/** Makes a minimal self-signed certificate (RFC 5280) with its key, as PEM, for browsers that trust any certificate. */
export function selfSigned(host: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
  const name = sequence(der(0x31, sequence(der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from(host)))))
  const day = (ahead: number) => {
    const time = new Date(Date.now() + ahead * 86_400_000).toISOString().replaceAll(/\D/g, '')
    return der(0x17, Buffer.from(`${time.slice(2, 14)}Z`))
  }
  const alternativeName = sequence(
    der(0x06, Buffer.from('551d11', 'hex')),
    der(0x04, sequence(der(0x82, Buffer.from(host)))),
  )
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    sequence(day(-1), day(30)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternativeName)),
  )
  const signature = createSign('sha256').update(body).sign(privateKey)
  const certificate = sequence(body, ecdsaWithSha256, der(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = certificate.toString('base64').replaceAll(/.{64}/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}

/** Encodes an ASN.1 DER value: tag, length, content. */
function der(tag: number, ...content: Buffer[]): Buffer {
  const value = Buffer.concat(content)
  const size = value.length
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), value])
}

function sequence(...content: Buffer[]): Buffer {
  return der(0x30, ...content)
}
