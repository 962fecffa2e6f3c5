/** A realistic CSV file of leads, with the expected result for each of its lines. */
interface LeadFile {
  text: string
  /** Handles of the valid lines, in order. */
  handles: string[]
  /** Expected rejections, in line order. */
  rejected: { line: number; problem: string }[]
  /** Name, bio and follower count of the valid lines, by handle. */
  people: Map<string, { name: string; bio: string | null; followerCount: number | null }>
}

const NAMES = [
  'Ana "the Builder" Silva',
  'נועה כהן',
  'محمد العربي',
  '山田 太郎',
  'Zoë 🚀 Müller',
  "O'Brien, Pat",
  '=cmd()',
  'İpek',
]
const BIOS = [
  'Founder; writes about "growth", design\nand coffee ☕️',
  'مؤسس شركة ناشئة 👩‍💻',
  'בונה מוצרים 🛠',
  '100% plain_text \\ no tricks',
  '',
  'Line one\r\nline two, with a comma',
]

/**
 * Makes `rows` deterministic lines with quotes, emojis, right-to-left names, line breaks in fields,
 * duplicates, blank and broken lines. @param lineEnd between records, not within fields
 */
export function makeLeadFile(rows = 5_000, lineEnd: '\n' | '\r\n' = '\r\n'): LeadFile {
  const header = 'Name,twitter_handle,bio,follower_count,following_count,location,company'
  const lines = [header]
  const file: LeadFile = { text: '', handles: [], rejected: [], people: new Map() }
  const firstLines = new Map<string, number>()
  let line = 2
  const put = (text: string) => {
    lines.push(text)
    const at = line
    line += 1 + (text.match(/\r\n|\n|\r/g)?.length ?? 0)
    return at
  }
  const reject = (text: string, problem: string) => {
    file.rejected.push({ line: put(text), problem })
  }
  for (let i = 0; i < rows; i++) {
    const handle = `lead_${i.toString(36)}`
    const name = NAMES[i % NAMES.length] as string
    const bio = BIOS[i % BIOS.length] as string
    const row = [name, handle, bio, String((i * 37) % 100_000), String(i % 900), 'Köln, DE', `Company ${i}`]
    if (i % 97 === 13) reject(csv([name, '', bio, '1', '2', 'x', 'y']), 'twitter_handle is missing')
    else if (i % 97 === 23)
      reject(
        csv([name, 'not a handle!', bio, '1', '2', 'x', 'y']),
        'twitter_handle must be 1 to 15 letters, digits or underscores',
      )
    else if (i % 97 === 33)
      reject(csv([name, handle, bio, 'many', '2', 'x', 'y']), 'follower_count is not a whole number')
    else if (i % 97 === 43) reject(csv([...row, 'more']), 'has 8 columns where the first line has 7')
    else if (i % 97 === 53) reject(`"${handle},never closed,1,2,x,y`, 'has a quote that is not closed or not doubled')
    else if (i % 97 === 63) reject('', 'is empty')
    else if (i % 97 === 73 && firstLines.size > 0) {
      const [again, first] = [...firstLines][i % firstLines.size] as [string, number]
      reject(csv([name, `@${again.toUpperCase()}`, bio, '1', '2', 'x', 'y']), `is a duplicate of line ${first}`)
    } else {
      firstLines.set(handle, put(csv(row)))
      file.handles.push(handle)
      file.people.set(handle, { name, bio: bio === '' ? null : bio, followerCount: (i * 37) % 100_000 })
    }
  }
  file.text = `\ufeff${lines.join(lineEnd)}${lineEnd}`
  return file
}

/** One record, with fields quoted only if necessary. */
function csv(fields: string[]): string {
  return fields.map((field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',')
}
