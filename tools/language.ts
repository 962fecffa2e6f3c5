import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesIn } from './structure.ts'

/** Phrases that read like a translation, each with its replacement. Add a phrase once the repository is free of it. */
const PHRASES: readonly [phrase: RegExp, instead: string][] = [
  [/\bthereby\b/i, '"so"'],
  [/\banybody who\b/i, '"anyone who"'],
  [/\bto and fro\b/i, '"back and forth"'],
  [/\blet be\b/i, '"ignored"'],
  [/\bwhoever\b/i, '"anyone who"'],
  [/\banew\b/i, '"again"'],
  [/\bnot any more\b/i, '"no longer"'],
  [/\bnone is\b/i, '"no … is"'],
  [/\b(?:is|are) told of\b/i, '"is notified of"'],
  [/\bin hand\b/i, '"claimed"'],
  [/\b(?:lets go|let go of)\b/i, '"releases"'],
  [/\b(?:takes? back|taken back)\b/i, '"revert" or "undo"'],
  [/\bshut out\b/i, '"blocked"'],
  [/\bgoes on\b/i, '"continues"'],
  [/\bsomebody who\b/i, '"someone who"'],
  [/\bas far as\b/i, '"if" or "up to"'],
  [/\bby itself\b/i, '"automatically"'],
  [/\bso many\b/i, 'the number'],
  [/\bof which\b/i, '"that … about", or a second sentence'],
  [/\botherwise than\b/i, '"not as"'],
  [/(?<!not )\bfor good\b(?! reason)/i, '"permanently"'],
  [/\bcomes along\b/i, 'what happens to it'],
]

const ignoredFiles = new Set(['tools/language.ts', 'tools/language.test.ts'])

/**
 * Finds phrases in this text that plain English avoids, as "path:line: …". Comments, strings and
 * documents all count.
 */
export function languageProblems(path: string, text: string): string[] {
  if (!PHRASES.some(([phrase]) => phrase.test(text))) return []
  return text.split('\n').flatMap((line, index) =>
    PHRASES.flatMap(([phrase, instead]) => {
      const match = phrase.exec(line)
      return match ? [`${path}:${index + 1}: "${match[0]}" reads like a translation: write ${instead}`] : []
    }),
  )
}

/** Returns the `languageProblems` of every source and document of the repository at `root`. */
export function repositoryLanguageProblems(root: string): string[] {
  return filesIn(root, '', /\.(tsx?|m?js|cjs|css|html|md)$/)
    .filter((path) => !ignoredFiles.has(path))
    .flatMap((path) => languageProblems(path, readFileSync(join(root, path), 'utf8')))
}
