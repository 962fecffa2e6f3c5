/** The image formats of logos. */
export const LOGO_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const

/** Maximum size of a logo, as a file. */
export const LOGO_BYTES_MAX = 100 * 1024
/** Maximum width and height of a logo. */
export const LOGO_PIXELS_MAX = 1_024

/** Maximum length of a logo's data URL. */
export const LOGO_URL_MAX = 'data:image/jpeg;base64,'.length + Math.ceil(LOGO_BYTES_MAX / 3) * 4

export const LOGO_TOO_LARGE = `must be at most ${LOGO_BYTES_MAX / 1024} KB`
export const LOGO_UNKNOWN = 'must be a PNG, JPEG or WebP image'
