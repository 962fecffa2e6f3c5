import { Dialog } from '../../../ui/dialog'
import { LABEL_NAMES } from '../../leads/leads/history-text'
import { LABEL_KEYS } from './label-keypad'
import { sendKeys } from './send-keys'

const KEYS: [string, string][] = [
  ['J', 'Next conversation'],
  ['K', 'Previous conversation'],
  ['E', 'Done, or reopen'],
  ['H', 'Snooze'],
  ['A', 'Assign'],
  ['R', 'Reply'],
  ['X', 'Select'],
  ['⇧ X', 'Select a range'],
  ['Esc', 'Clear the selection'],
  ['/', 'Search'],
  ['?', 'All keys'],
]

/** All keys of the inbox. */
export function KeysDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const labels = LABEL_KEYS.map((label, index): [string, string] => [String(index + 1), LABEL_NAMES[label]])
  return (
    <Dialog open={open} onClose={onClose} title="Keys">
      <div className="grid gap-x-10 gap-y-6 sm:grid-cols-2">
        {[
          { title: 'Conversations', keys: [...KEYS, [sendKeys(), 'Send'] as [string, string]] },
          { title: 'Label', keys: labels },
        ].map(({ title, keys }) => (
          <section key={title} className="grid content-start gap-2">
            <h3 className="font-strong">{title}</h3>
            <dl className="grid grid-cols-[4rem_1fr] gap-y-1.5">
              {keys.map(([key, does]) => (
                <div key={key} className="contents">
                  <dt>
                    <kbd className="rounded-sm bg-pressed px-1.5 py-0.5 font-sans text-xs">{key}</kbd>
                  </dt>
                  <dd className="text-muted">{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
