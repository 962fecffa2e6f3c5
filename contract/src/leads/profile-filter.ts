/** The filter that profiles must match to become leads. */
interface ProfileFilter {
  minFollowers: number
  maxFollowers: number
  keywords: readonly string[]
}

/**
 * Whether a profile matches. Bounds are inclusive. One keyword in the bio is enough, ignoring case;
 * without keywords, every bio matches.
 */
export function isWanted(
  profile: { bio: string; followerCount: number },
  { minFollowers, maxFollowers, keywords }: ProfileFilter,
): boolean {
  if (profile.followerCount < minFollowers || profile.followerCount > maxFollowers) return false
  if (keywords.length === 0) return true
  const bio = profile.bio.toLowerCase()
  return keywords.some((keyword) => bio.includes(keyword.toLowerCase()))
}
