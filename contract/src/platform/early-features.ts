/** This code's release, as in package.json. */
export const RELEASE = '1.0.0'

/** A new feature that some people get one release before everyone else. */
export interface EarlyFeature {
  key: string
  /** The feature's name on screens. */
  name: string
  /** The release that opens it to everyone, such as '1.1.0'. */
  opensIn: string
}

/** Only new features belong here: an existing feature never becomes early. */
export const EARLY_FEATURES: readonly EarlyFeature[] = []

/** Returns the features that a release has not opened to everyone yet. */
export function earlyIn(release: string, features: readonly EarlyFeature[] = EARLY_FEATURES): EarlyFeature[] {
  return features.filter(({ opensIn }) => isBefore(release, opensIn))
}

/** Text for when priority access starts to open features; null if it already does. */
export const EARLY_FROM = earlyIn(RELEASE).length === 0 ? 'from the next release on' : null

/** Returns a sentence that promises priority access and says when it begins. @param promise without a full stop */
export function earlyPromise(promise: string): string {
  return EARLY_FROM === null ? `${promise}.` : `${promise}, ${EARLY_FROM}.`
}

function isBefore(release: string, other: string): boolean {
  const [numbers, others] = [release.split('.').map(Number), other.split('.').map(Number)]
  const at = numbers.findIndex((number, index) => number !== others[index])
  return at >= 0 && (numbers[at] ?? 0) < (others[at] ?? 0)
}
