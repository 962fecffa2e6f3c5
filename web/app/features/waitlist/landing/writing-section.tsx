import { Sparkles } from 'lucide-react'
import { Avatar } from '../../../ui/avatar'
import { Badge, StatusBadge } from '../../../ui/badge'
import { FeatureSection } from './feature-section'

export function WritingSection() {
  return (
    <FeatureSection
      title="Write once. Everyone gets their own version."
      text="Say who you are and what you offer. The AI writer drafts it; you have the final say."
      points={[
        ['AI writer', 'Drafts messages short enough to read on a phone.'],
        ['Custom variables', 'Names, companies, any column of your CSV, with a fallback when a value is missing.'],
        ['A/B testing', 'Write two versions and see which one gets more replies.'],
      ]}
      picture={
        <div className="grid grid-cols-1 gap-4 rounded-xl border border-line bg-surface p-4 shadow-sm md:p-5">
          <div className="flex items-center justify-between gap-3">
            <p className="font-strong">Message</p>
            <Badge tone="accent" icon={<Sparkles aria-hidden />}>
              AI draft
            </Badge>
          </div>
          <p className="rounded-lg border border-control bg-canvas p-3 text-base">
            Hi <Variable>{'{lead_name}'}</Variable>, I read how <Variable>{'{company|your team}'}</Variable> finds its
            first users. We built something for exactly that. Worth a look?
          </p>
          <div className="grid grid-cols-1 gap-2 border-t border-line pt-4">
            {[
              { name: 'Maya', text: 'Hi Maya, I read how Fernwork finds its first users…', status: 'replied' },
              { name: 'Jonas', text: 'Hi Jonas, I read how your team finds its first users…', status: 'delivered' },
            ].map(({ name, text, status }) => (
              <div key={name} className="flex items-center gap-3">
                <Avatar name={name} size="sm" />
                <p className="min-w-0 flex-1 truncate text-muted">{text}</p>
                <StatusBadge status={status} />
              </div>
            ))}
          </div>
        </div>
      }
    />
  )
}

function Variable({ children }: { children: string }) {
  return <span className="rounded-sm bg-accent-soft px-1 font-mono text-sm text-accent-word">{children}</span>
}
