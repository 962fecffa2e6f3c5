import { HANDLE_PROBLEMS, handleFault, handleIn } from '@x-automated/contract/x-handle'
import { personFault } from '@x-automated/contract/x-user-id'

/** Maximum number of handles per call of the API. */
const HANDLES_MAX = 1_000

/** Parses handles separated by lines, commas or spaces, in any spelling. Also accepts X's URLs of user ids. */
export function typedHandles(text: string): { handles: string[] } | { problem: string } {
  const entries = text.split(/[\s,;]+/).filter((word) => word !== '')
  const bare = entries.map(handleIn)
  const wrong = bare.findIndex((person) => personFault(person))
  if (entries.length === 0) return { problem: 'Enter at least one handle.' }
  if (wrong !== -1) {
    const isPage = handleFault(bare[wrong] ?? '') === 'page'
    const problem = isPage ? HANDLE_PROBLEMS.page : "isn't a valid X handle: use 1 to 15 letters, digits or underscores"
    return { problem: `“${entries[wrong]}” ${problem}.` }
  }
  const handles = [...new Map(bare.map((handle) => [handle.toLowerCase(), handle])).values()]
  if (handles.length > HANDLES_MAX) return { problem: 'To add more than 1,000 people, import a file.' }
  return { handles }
}
