/** Maximum number of bio keywords per scrape. */
export const KEYWORDS_MAX = 50
export const KEYWORD_LENGTH_MAX = 100

/** The follower range that the scraper's sliders offer. */
export const FOLLOWER_SLIDERS = {
  min: { from: 0, to: 100_000, step: 100, default: 100 },
  max: { from: 0, to: 1_000_000, step: 1_000, default: 10_000 },
} as const

export const SCRAPE_HANDLES_MAX = 5_000

/** Maximum number of profiles that a look reads. */
export const LOOK_PEOPLE_MAX = 25
/** Looks per workspace and day (UTC). Together they read at most 100 profiles. */
export const LOOKS_PER_DAY = 4

/** Lower bounds of the histogram's bins: 0, then four per power of ten up to 10 million. */
export const HISTOGRAM_BOUNDS: readonly number[] = [
  0,
  ...Array.from({ length: 29 }, (_, quarter) => Math.round(10 ** (quarter / 4))),
]
