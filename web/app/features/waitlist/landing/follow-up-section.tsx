import { Clock, MessageCircleReply, RotateCcw, Send } from 'lucide-react'
import type { ReactNode } from 'react'
import { StatusBadge } from '../../../ui/badge'
import { cn } from '../../../ui/cn'
import { FeatureSection } from './feature-section'

export function FollowUpSection() {
  return (
    <FeatureSection
      title="Follow-ups that know when to stop"
      text="Most replies come after the second or third message. For example: following up raises conversion by 40%, as long as you don't overdo it."
      points={[
        [
          'Multi-stage follow-ups',
          'Plan the whole conversation. The next message goes out automatically, unless they reply. From Pro on.',
        ],
        ['Smart pausing', "A reply or an opt-out cancels that person's queued messages before they go out."],
        ['Re-engagement', 'Give quiet conversations one friendly nudge. With Agency.'],
      ]}
      isMirrored
      picture={
        <ol className="grid">
          <Step
            icon={<Send />}
            title="First message"
            text="Tuesday at 14:31"
            badge={<StatusBadge status="delivered" />}
          />
          <Step
            icon={<Clock />}
            title="Follow-up"
            text="3 days later, if there's no reply"
            badge={<StatusBadge status="sent" />}
          />
          <Step
            icon={<MessageCircleReply />}
            title="Priya replied"
            text="Her follow-ups pause automatically: it's your turn"
            badge={<StatusBadge status="replied" />}
            isReply
          />
          <Step
            icon={<RotateCcw />}
            title="Re-engagement"
            text="Weeks later, if she's gone quiet"
            badge={<StatusBadge status="queued" />}
          />
        </ol>
      }
    />
  )
}

interface StepProps {
  icon: ReactNode
  title: string
  text: string
  badge: ReactNode
  /** Uses the accent color, for a positive outcome. */
  isReply?: boolean
}

function Step({ icon, title, text, badge, isReply = false }: StepProps) {
  return (
    <li className="grid grid-cols-[auto_1fr_auto] items-center gap-x-4 border-hair py-4 not-first:border-t">
      <span
        className={cn(
          'flex size-9 items-center justify-center rounded-lg [&>svg]:size-4',
          isReply ? 'bg-accent text-accent-ink' : 'bg-sunken text-muted',
        )}
      >
        {icon}
      </span>
      <p className="grid">
        <span className="font-strong">{title}</span>
        <span className="text-muted">{text}</span>
      </p>
      {badge}
    </li>
  )
}
