import { handleFault, handleIn, withoutInvisible } from './x-handle.ts'

/** Why a text is not an X user id, as predicates that follow a subject. */
export const X_USER_ID_PROBLEMS = {
  spelling: 'is not an X user ID',
  rounded: 'was rounded by a spreadsheet or another program',
} as const
type XUserIdFault = keyof typeof X_USER_ID_PROBLEMS

/** X's ids are positive numbers of up to 64 bits, without leading zeros. */
const SPELLING = /^[1-9]\d{0,19}$/
const MAX_ID = 2n ** 64n - 1n
/** Spreadsheets keep 15 digits of a number and replace the rest by zeros. */
const FIFTEEN_DIGITS = /^\d{15}0+$/
/** X's URL for a person whose handle is unknown. */
const ADDRESS = /\b(?:x|twitter)\.com\/+(?:i\/user\/|intent\/(?:user|follow)\/?\?(?:\S*&)?user_id=)(\d+)\b\S*$/i
const EXPONENT = /^\d(?:[.,]\d+)?e\+?\d+$/i

/**
 * Reads an X user id from a file or a program: digits, possibly marked as text by a spreadsheet, or
 * with a fraction of zero. Numbers that lost digits name someone else, so they are rejected.
 */
export function readXUserId(text: string): { id: string } | { fault: XUserIdFault } {
  const visible = withoutInvisible(text).trim()
  const bare = (ADDRESS.exec(visible)?.[1] ?? visible).replace(/^'|^="|"$/g, '')
  if (EXPONENT.test(bare)) return { fault: 'rounded' }
  const id = bare.replace(/[.,]0{1,2}$/, '')
  if (!SPELLING.test(id) || BigInt(id) > MAX_ID) return { fault: 'spelling' }
  // The fraction shows that the id was a floating-point number, which loses digits above 2^53.
  return (id !== bare && !isExact(id)) || isRounded(id) ? { fault: 'rounded' } : { id }
}

/** Why a text is neither a handle nor a user id on X; null if it is one of them. */
export function personFault(text: string): ReturnType<typeof handleFault> {
  return 'id' in readXUserId(text) ? null : handleFault(handleIn(text))
}

/** Whether a spreadsheet or JavaScript rounded these digits. */
function isRounded(id: string): boolean {
  return FIFTEEN_DIGITS.test(id) || (!isExact(id) && String(Number(id)) === id)
}

function isExact(id: string): boolean {
  return Number.isSafeInteger(Number(id))
}
