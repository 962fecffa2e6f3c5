/** The end of a page: its last row's referral count, last credit and rank. */
export interface LeaderboardPlace {
  referralCount: number
  lastCredit: number
  rank: number
}

export function writeCursor({ referralCount, lastCredit, rank }: LeaderboardPlace): string {
  return Buffer.from(JSON.stringify([referralCount, lastCredit, rank])).toString('base64url')
}

/** @returns null if `writeCursor` did not write it */
export function readCursor(cursor: string): LeaderboardPlace | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (!Array.isArray(parts) || parts.length !== 3 || !parts.every((part) => Number.isSafeInteger(part) && part >= 0))
      return null
    const [referralCount, lastCredit, rank] = parts as [number, number, number]
    return referralCount > 2_147_483_647 ? null : { referralCount, lastCredit, rank }
  } catch {
    return null
  }
}
