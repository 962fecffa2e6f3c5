import Bowser from 'bowser'

export interface Device {
  device: string | null
  deviceKind: 'desktop' | 'mobile' | 'tablet' | 'other'
}

/** A device name such as 'Firefox on Windows', and the kind of device. @param userAgent the User-Agent header */
export function deviceOf(userAgent: string | null): Device {
  if (!userAgent) return { device: null, deviceKind: 'other' }
  const { browser, os, platform } = Bowser.parse(userAgent)
  const words = [browser.name, os.name].filter((word) => word !== undefined && word !== '')
  const kind = platform.type
  return {
    device: words.length > 0 ? words.join(' on ') : null,
    deviceKind: kind === 'desktop' || kind === 'mobile' || kind === 'tablet' ? kind : 'other',
  }
}

const countries = new Intl.DisplayNames(['en'], { type: 'region' })

/** @param country ISO 3166-1 alpha-2 */
export function countryNameOf(country: string | null): string | null {
  return country && /^[A-Z]{2}$/.test(country) ? (countries.of(country) ?? null) : null
}
