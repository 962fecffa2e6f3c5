import { formatNumber } from '@x-automated/contract/format'
import { BIO_WORDS_MAX, type BioWords } from '@x-automated/contract/leads/bio-words'
import { useState } from 'react'
import type { client } from '../../../api'
import { Button } from '../../../ui/button'
import { withPressed } from './results-filter'

type Words = Awaited<ReturnType<typeof client.scrapes.histogram>>['words']

/** How many words are initially visible. */
const FEW = 16

interface BioWordChipsProps {
  words: Words
  chosen: BioWords
  onChange: (chosen: BioWords) => void
}

/** Frequent words in the bios of these leads. Pressing a word once requires it, pressing it twice excludes it. */
export function BioWordChips({ words, chosen, onChange }: BioWordChipsProps) {
  const [isWhole, setWhole] = useState(false)
  const stateOf = (word: string) =>
    chosen.required.includes(word) ? 'required' : chosen.excluded.includes(word) ? 'excluded' : null
  const isFull = chosen.required.length + chosen.excluded.length >= BIO_WORDS_MAX
  // A chosen word stays visible even if others become more frequent.
  const missing = [...chosen.required, ...chosen.excluded].filter((word) => words.every((other) => other.word !== word))
  const offered = [
    ...words.filter(({ word }, index) => isWhole || index < FEW || stateOf(word) !== null),
    ...missing.map((word) => ({ word, count: null })),
  ]
  return (
    <section aria-labelledby="bio-words" className="grid gap-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h3 id="bio-words" className="font-strong">
          Bio words
        </h3>
        <p className="text-xs text-muted">Press once to require a word, twice to exclude it.</p>
      </div>
      <ul className="flex flex-wrap gap-1.5">
        {offered.map(({ word, count }) => {
          const state = stateOf(word)
          return (
            <li key={word} className="min-w-0">
              <button
                type="button"
                aria-pressed={state !== null}
                disabled={isFull && state === null}
                data-state={state ?? undefined}
                onClick={() => onChange(withPressed(chosen, word))}
                className="flex min-h-7 max-w-full items-center gap-1.5 rounded-full bg-hover px-3 text-ui text-muted transition-colors hover:bg-pressed hover:text-ink disabled:opacity-50 data-[state=excluded]:text-muted data-[state=excluded]:line-through data-[state=required]:bg-ink data-[state=required]:text-inverse pointer-coarse:min-h-10"
              >
                <span className="truncate">{word}</span>
                {count !== null && (
                  <span className="text-2xs" data-numeric>
                    {formatNumber(count)}
                    <span className="sr-only"> leads</span>
                  </span>
                )}
                {state && <span className="sr-only">, {state}</span>}
              </button>
            </li>
          )
        })}
        {words.length > FEW && (
          <li>
            <Button size="sm" variant="ghost" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
              {isWhole ? 'Fewer words' : 'More words'}
            </Button>
          </li>
        )}
      </ul>
    </section>
  )
}
