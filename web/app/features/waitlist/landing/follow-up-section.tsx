import { Pause, RotateCcw, Send } from 'lucide-react'
import type { ReactNode } from 'react'
import { StatusBadge } from '../../../ui/badge'
import { FeatureSection } from './feature-section'

export function FollowUpSection() {
  return (
    <FeatureSection
      title="Follow-ups that know when to stop"
      text="Most replies come after the second or third message. Following up raises conversion by 40%, as long as you don't overdo it."
      points={[
        [
          'Multi-stage follow-ups',
          'Plan the whole conversation. The next message goes out automatically, unless they reply.',
        ],
        ['Smart pausing', "A reply or an opt-out cancels that person's queued messages before they go out."],
        ['Re-engagement', 'Give quiet conversations one friendly nudge.'],
      ]}
      isMirrored
      picture={
        <ol className="grid rounded-xl border border-line bg-surface p-4 shadow-sm md:p-5">
          <Step
            icon={<Send />}
            title="First message"
            text="Opens with their name"
            badge={<StatusBadge status="sent" />}
          />
          <Step
            icon={<Send />}
            title="Follow-up"
            text="A few days later, with its own message"
            badge={<StatusBadge status="replied" />}
          />
          <Step
            icon={<Pause />}
            title="Pauses automatically"
            text="They replied, so it's your turn"
            badge={<StatusBadge status="paused" />}
          />
          <Step
            icon={<RotateCcw />}
            title="Re-engagement"
            text="Weeks later, if they've gone quiet"
            badge={<StatusBadge status="queued" />}
            isLast
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
  isLast?: boolean
}

function Step({ icon, title, text, badge, isLast = false }: StepProps) {
  return (
    <li className="grid grid-cols-[auto_1fr_auto] gap-x-3">
      <span className="flex flex-col items-center">
        <span className="flex size-8 items-center justify-center rounded-full border border-line bg-sunken text-muted [&>svg]:size-4">
          {icon}
        </span>
        {!isLast && <span className="min-h-6 w-px flex-1 bg-line" />}
      </span>
      <p className="grid content-start pb-4">
        <span className="font-strong">{title}</span>
        <span className="text-muted">{text}</span>
      </p>
      {badge}
    </li>
  )
}
