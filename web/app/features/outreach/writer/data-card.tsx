import { Link } from 'react-router'
import { paths } from '../../../paths'
import { Card } from '../../../ui/card'

const SENT = [
  ['Drafts and rewrites', 'your goal, audience and text, and “About us”'],
  ['Openers', "each person's name, bio, website and source, your message, and “About us”"],
  [
    'Replies',
    "when you ask, or open someone who waits: the person's name, the latest messages, the campaign's message, “About us” and your snippets",
  ],
  ['Second opinions on labels', 'a reply that our own classifier is unsure about, only if you connected the model'],
] as const

/** What the writer sends to a model's provider. */
export function DataCard() {
  return (
    <Card title="What goes to your model" description="Only this, and only to the model's provider.">
      <div className="grid max-w-xl gap-4">
        <dl className="grid gap-2">
          {SENT.map(([name, what]) => (
            <div key={name} className="grid gap-x-4 sm:grid-cols-[12rem_minmax(0,1fr)]">
              <dt className="font-strong">{name}</dt>
              <dd className="text-muted">{what}</dd>
            </div>
          ))}
        </dl>
        <p className="text-muted">
          We don't log prompts or answers. Without a model, none of this leaves our server. More in the{' '}
          <Link className="text-link" to={paths.privacy}>
            privacy policy
          </Link>
          .
        </p>
      </div>
    </Card>
  )
}
