import { DAY_MS } from '@x-automated/contract/time'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { CertificateWarning } from './connection-card'

const warningFor = (...days: number[]) => {
  const certificates = days.map((left) => ({
    subject: 'CN=idp',
    fingerprint: String(left),
    expiresAt: new Date(Date.now() + left * DAY_MS).toISOString(),
  }))
  return renderToString(<CertificateWarning certificates={certificates} />)
}

test('warns before the last certificate expires, and says once it has', () => {
  expect(warningFor()).toBe('')
  expect(warningFor(31)).toBe('')
  expect(warningFor(-5, 31)).toBe('')
  expect(warningFor(29, -5)).toContain('The certificate expires soon')
  expect(warningFor(-5, -1)).toContain('No one can sign in: the certificate has expired')
})
